import { expect, it } from 'vitest'
import { writtenConfig } from '../../src/config/written-config.js'

it('a server whose id every object inherits is compared with its own settings', () => {
  const config = (settings: object) => ({
    mcpServers: { Constructor: { command: 'x' } },
    toolwire: { servers: { Constructor: { ...settings } } },
  })
  expect(writtenConfig(config({ lazy: true })).servers).toEqual({ constructor: [{ command: 'x' }, { lazy: true }] })
})
