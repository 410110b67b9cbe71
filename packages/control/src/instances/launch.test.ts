import { expect, test } from 'vitest'
import { renderLaunch } from './launch.ts'
import type { InstanceSpec } from './model.ts'
import { machineSpec, servicesSpec } from './tests/samples.ts'

const render = (spec: InstanceSpec, labels: Record<string, string> = {}, resolved = {}) =>
  renderLaunch({
    instance: { id: 'inst_1', projectId: 'prj_1', name: 'web-1', labels, spec },
    serverId: 'srv_1',
    owner: { controlPlane: 'cp', region: 'reg_1' },
    power: 'on',
    resolved,
  })

test('labels become tags, and none of them can pass for one of ours', () => {
  const { tags, name } = render(servicesSpec(), { tier: 'web', 'managed-by': 'me' })
  expect(name).toBe('web-1')
  expect(tags).toEqual({
    'stead.label.tier': 'web',
    'stead.label.managed-by': 'me',
    'stead.managed-by': 'stead',
    'stead.control-plane': 'cp',
    'stead.region-id': 'reg_1',
    'stead.server-id': 'srv_1',
    'stead.instance-id': 'inst_1',
    'stead.project-id': 'prj_1',
  })
})

test('a service is rendered with everything it did not say', () =>
  expect(
    render(
      servicesSpec({
        web: {
          image: 'host',
          env: { A: '1' },
          ports: [{ name: 'http' }, { name: 'grpc-api', port: 9_000 }],
          files: { '/a': { content: 'ä' }, '/b': { contentBase64: 'AAEC' } },
          healthChecks: [{ type: 'http', port: 'http', intervalSeconds: 1 }],
        },
      }),
    ).source,
  ).toEqual({
    type: 'services',
    kind: 'deployment',
    services: {
      web: {
        role: 'main',
        image: 'host',
        // The provider says where the other one is.
        env: { A: '1', PORT_GRPC_API: '9000' },
        secretEnv: {},
        files: [
          { path: '/a', content: new Uint8Array([0xc3, 0xa4]), secret: false },
          { path: '/b', content: new Uint8Array([0, 1, 2]), secret: false },
        ],
        ports: [
          { name: 'http', protocol: 'tcp' },
          { name: 'grpc-api', protocol: 'tcp', port: 9_000 },
        ],
        volumes: [],
        resources: {},
        healthChecks: [
          {
            type: 'http',
            port: 'http',
            path: '/',
            intervalSeconds: 1,
            timeoutSeconds: 5,
            healthyThreshold: 1,
            unhealthyThreshold: 3,
          },
        ],
        dependsOn: [],
        restart: 'always',
        stopGraceSeconds: 10,
      },
    },
  }))

test('a machine is rendered in the words of its region', () =>
  expect(
    render(
      machineSpec({ network: 'net_1', securityGroups: ['sg_1'], publicIp: true, sshAuthority: 'ssh_1' }),
      {},
      {
        network: 'vpc-7',
        securityGroups: ['sg-7'],
        userData: new Uint8Array([1]),
      },
    ).source,
  ).toEqual({
    type: 'machine',
    flavor: 'small',
    image: 'minimal',
    network: 'vpc-7',
    securityGroups: ['sg-7'],
    publicIp: true,
    userData: new Uint8Array([1]),
  }))
