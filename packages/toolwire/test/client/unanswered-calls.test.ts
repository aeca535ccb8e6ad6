// Calls that were sent and never answered.
import { describe, expect, it } from 'vitest'
import { type ConnectOptions, TransportError } from '../../src/client/index.js'
import type { JsonObject } from '../../src/json.js'
import { every } from '../revisions.js'
import { pay } from './people.js'
import { connectScripted, plainTool, toolsPage } from './scripted.js'

describe.each(every)('a call with an unknown outcome, %s', (revision) => {
  const broken = () => new TransportError('broken', 'the line was cut', { sent: true })
  const calls = async (annotations: JsonObject | undefined, options: ConnectOptions) => {
    const { client, server } = await connectScripted(
      { ...pay, 'tools/list': toolsPage([plainTool('pay', annotations && { annotations })]), 'tools/call': broken },
      { revision, options },
    )
    const { code } = await client.call('pay').catch((thrown) => thrown)
    return { code, count: server.received('tools/call').length }
  }

  it('SECC-010 is not repeated, and is reported as unknown', async () => {
    const unknown = { code: 'outcome_unknown', count: 1 }
    expect(await calls(undefined, {})).toEqual(unknown)
    expect(await calls({ readOnlyHint: true, idempotentHint: true }, {})).toEqual(unknown)
    expect(await calls({ readOnlyHint: false, idempotentHint: false }, { trusted: true })).toEqual(unknown)
    expect(await calls(undefined, { trusted: true })).toEqual(unknown)
  })

  it('SECC-010 is repeated once if a trusted server says that this is safe', async () => {
    expect(await calls({ readOnlyHint: true }, { trusted: true })).toEqual({ code: 'disconnected', count: 2 })
    expect(await calls({ idempotentHint: true }, { trusted: true })).toEqual({ code: 'disconnected', count: 2 })
  })
})
