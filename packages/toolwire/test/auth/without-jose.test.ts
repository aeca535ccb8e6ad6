import { expect, it, vi } from 'vitest'
import { apiKeys, bearerJwt, createApiKey, memoryApiKeys } from '../../src/auth/index.js'

vi.mock('jose', () => {
  throw new Error('Cannot find package')
})

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const showing = (token: string) => ({ header: () => `Bearer ${token}`, url: '/mcp' })

it('signed tokens name the missing package', async () => {
  const authenticate = bearerJwt({ issuer: 'https://auth.example', resource: 'https://shop.example/mcp' })
  const token = `${encode({ alg: 'RS256' })}.${encode({ iss: 'https://auth.example' })}.AAAA`
  await expect(authenticate(showing(token))).rejects.toThrow('npm i jose')
})

it('API keys need no package', async () => {
  const { key, record } = await createApiKey({ scopes: [] })
  expect(await apiKeys({ store: memoryApiKeys([record]) })(showing(key))).toMatchObject({ id: `key:${record.id}` })
})
