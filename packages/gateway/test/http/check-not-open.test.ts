import { expect, it } from 'vitest'
import { checkNotOpen } from '../../src/http/http-server.js'

const nobodyShowsAnything = { loopback: false, apiKeys: false }
const check = (host: string) => () => checkNotOpen({ host, callers: nobodyShowsAnything })

it.each(['127.0.0.1', '127.0.0.2', '::1', 'localhost'])('%s is this machine, so that no credentials are needed', (host) => {
  expect(check(host)).not.toThrow()
})

it.each([
  '0.0.0.0',
  '::',
  '192.168.1.7',
  '127.0.0.1.example.com',
  'x.localhost',
])('%s is reachable for other machines', (host) => {
  expect(check(host)).toThrow(`Other machines can reach ${host}`)
})
