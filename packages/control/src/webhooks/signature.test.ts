import { realWorld } from '@stead/world'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { validator } from '../schema/validator.ts'
import { newSecret, Secret, signedHeaders } from './signature.ts'

test('it signs as the example of Standard Webhooks does', () => {
  const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1_614_265_330, body: '{"test": 2432232314}' }
  expect(signedHeaders(message, ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])).toEqual({
    'webhook-id': message.id,
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  })
})

test('while a secret is replaced, each message is signed with both', () => {
  const message = { id: 'm', timestamp: 1, body: '{}' }
  const [one, two] = [newSecret(realWorld), newSecret(realWorld)]
  const signature = (...secrets: string[]) => signedHeaders(message, secrets)['webhook-signature']
  expect(signature(one, two)).toBe(`${signature(one)} ${signature(two)}`)
  expect(signature(one)).not.toBe(signature(two))
})

test('a secret is 24 to 64 bytes in base64, as ours are', () => {
  const { errors } = validator(Secret)
  expect(errors(newSecret(realWorld))).toEqual([])
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 80 }), bytes => {
      const isGood = bytes.length >= 24 && bytes.length <= 64
      expect(errors(`whsec_${Buffer.from(bytes).toString('base64')}`)).toHaveLength(isGood ? 0 : 1)
    }),
  )
})
