import { describeWith, temporaryDirectory } from '@stead/testing'
import { millis, realWorld } from '@stead/world'
import { expect, onTestFinished, test } from 'vitest'
import { Scratch } from '../../harness/scratch.ts'
import { GrpcConnection } from './connection.ts'
import { EtcdContender } from './etcd.ts'
import { decodeRevision, encodePut } from './messages.ts'
import { startEtcd } from './server.ts'

const path = '/etcdserverpb.KV/Put'

describeWith('etcd', 'etcd, by its own protocol', () => {
  test('every acknowledged put is one revision of etcd', async () => {
    const contender = await EtcdContender.start(realWorld, new Scratch(temporaryDirectory()))
    // More than the first flow-control window holds: later puts wait until etcd widens it.
    const { rate } = await contender.write({ operation: 'put', writers: 256, duration: millis(200) })
    expect(rate).toBeGreaterThan(0)
    expect(contender.acknowledged.puts).toBeGreaterThanOrEqual(256)
    await contender.close()
  })

  test('a refused call is an error, and the connection goes on', async () => {
    const server = await startEtcd(realWorld, new Scratch(temporaryDirectory()))
    onTestFinished(() => server.stop())
    const connection = await GrpcConnection.open(server.port)
    await expect(connection.call('/etcdserverpb.KV/Shove', encodePut('k', 'v'))).rejects.toThrow('refused')
    await expect(connection.call(path, encodePut('', 'v'))).rejects.toThrow('refused')
    expect(decodeRevision(await connection.call(path, encodePut('k', 'v')))).toBe(2)
    connection.close()
    await expect(connection.call(path, encodePut('k', 'v'))).rejects.toThrow('closed')
  })
})
