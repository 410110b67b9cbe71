/**
 * Addresses that stay a machine's own: while it is stopped, and when another takes its place. All machines that say the same
 * `of` share them, and one of them has them at a time. `launch` and `start` take them from one that is stopped; while one
 * that has them is not, they are refused with `Conflict`. They are free again when the last that says so is gone.
 */
export interface KeptAddresses {
  /** Whose they are. */
  readonly of: string
  /** Just these: `Conflict` where somebody else has one of them. Absent: whatever is free, unless they have some already. */
  readonly private?: readonly string[]
  readonly public?: readonly string[]
}

/** What to boot as one virtual machine. Sizes and images are the region's own words, already resolved. */
export interface MachineLaunch {
  readonly type: 'machine'
  readonly flavor: string
  readonly image: string
  readonly diskGiB?: number
  /** The backend's id of the network, when the instance has one. */
  readonly network?: string
  readonly securityGroups?: readonly string[]
  readonly publicIp?: boolean
  /** Only where the group `addresses` is advertised. Absent: addresses come and go as the backend likes. */
  readonly keepAddresses?: KeptAddresses
  readonly allowedSourceAddresses?: readonly string[]
  readonly sshKeys?: readonly string[]
  readonly userData?: Uint8Array
  /** The backend's ids of volumes to attach, in this order. */
  readonly volumes?: readonly string[]
}

export type PortProtocol = 'tcp' | 'udp'

export interface ServicePort {
  readonly name: string
  readonly protocol: PortProtocol
  /** The port the service listens on. Absent: the provider picks one and says it in `PORT_<NAME>`. */
  readonly port?: number
  readonly public?: boolean
}

export type HealthCheck = {
  readonly intervalSeconds: number
  readonly timeoutSeconds: number
  readonly healthyThreshold: number
  readonly unhealthyThreshold: number
} & (
  | { readonly type: 'http'; readonly port: string; readonly path: string }
  | { readonly type: 'tcp'; readonly port: string }
  | { readonly type: 'grpc'; readonly port: string; readonly service?: string }
  | { readonly type: 'command'; readonly command: readonly string[] }
)

export interface VolumeMount {
  readonly name: string
  readonly path: string
  readonly readOnly: boolean
  /** The backend's id of a volume that outlives the server. Absent: one of the server's own, which goes with it. */
  readonly volume?: string
}

export interface ServiceFile {
  readonly path: string
  readonly content: Uint8Array
  /** Kept in memory where that can be, and readable by the service alone unless `mode` says otherwise. */
  readonly secret: boolean
  /** Permissions, at most 0o777. Absent: 0o400 of a secret one, 0o444 of another. */
  readonly mode?: number
  /** `SIGHUP`: sent to the service once its content was changed in place. Absent: other content takes a restart. */
  readonly signal?: string
}

/** What images of a registry are pulled with. */
export interface PullSecret {
  /** As image names begin: `registry.example.com:5000`. */
  readonly server: string
  readonly username: string
  readonly password: string
}

/** One service of a co-scheduled unit. Secrets arrive in the clear here and only here: a provider must not show them again. */
export interface ServiceLaunch {
  readonly role: 'main' | 'sidecar' | 'init'
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly secretEnv: Readonly<Record<string, string>>
  readonly files: readonly ServiceFile[]
  /** Of use only while the image is brought; a new one changes nothing that runs. */
  readonly pullSecret?: PullSecret
  readonly ports: readonly ServicePort[]
  readonly volumes: readonly VolumeMount[]
  readonly resources: { readonly cpuMillis?: number; readonly memoryMiB?: number; readonly gpus?: number }
  readonly healthChecks: readonly HealthCheck[]
  readonly dependsOn: readonly string[]
  readonly restart: 'always' | 'onFailure' | 'never'
  readonly stopGraceSeconds: number
  readonly user?: string
  readonly readOnlyRoot?: boolean
}

export interface ServicesLaunch {
  readonly type: 'services'
  readonly kind: 'deployment' | 'statefulSet'
  readonly services: Readonly<Record<string, ServiceLaunch>>
  readonly network?: string
}

export interface HelmLaunch {
  readonly type: 'helm'
  readonly repo: string
  readonly chart: string
  readonly version: string
  readonly values: unknown
}

export interface ManifestsLaunch {
  readonly type: 'manifests'
  readonly inline?: readonly unknown[]
  readonly kustomize?: { readonly url: string; readonly path: string; readonly revision: string }
}

export interface ArgoCdLaunch {
  readonly type: 'argocd'
  readonly repoUrl: string
  readonly path: string
  readonly targetRevision: string
}

export type LaunchSource = MachineLaunch | ServicesLaunch | HelmLaunch | ManifestsLaunch | ArgoCdLaunch

/** Everything a provider needs to realise one server. Nothing in it refers back to our store. */
export interface LaunchSpec {
  readonly name: string
  readonly source: LaunchSource
  /** Whether it should run once it exists. */
  readonly power: 'on' | 'off'
  /** Written on the backend object: ours (`stead.*`) and the user's labels as `stead.label.<key>`. */
  readonly tags: Readonly<Record<string, string>>
}
