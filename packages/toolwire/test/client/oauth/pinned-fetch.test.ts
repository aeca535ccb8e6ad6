import { expect, it, vi } from 'vitest'
import { egress } from '../../../src/client/oauth/egress/egress.js'
import { thrownBy } from './call.js'

vi.mock('node:dns', async (original) => ({
  ...(await original<typeof import('node:dns')>()),
  lookup: (_host: string, _options: object, done: (error: null, found: object[]) => void) =>
    done(null, [{ address: '127.0.0.1', family: 4 }]),
}))

it('AUTHC-028 a public name is refused if it resolves to this machine', async () => {
  expect(await thrownBy(egress('public')('https://rebound.example/'))).toMatchObject({ code: 'forbidden_address' })
})
