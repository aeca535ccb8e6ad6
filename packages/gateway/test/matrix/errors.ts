// Each kind of error, as the caller's revision represents it.
import { expect } from 'vitest'
import { type Cell, rawCall } from './cell.js'
import { isBefore } from './gaps.js'
import { idOf } from './revisions.js'
import { ownCode } from './sample-server.js'

const invalidParams = -32602
const methodNotFound = -32601
const noResource = -32002

export const errors: readonly ((cell: Cell) => Promise<void>)[] = [
  async function toolFails(cell) {
    const content = [{ type: 'text', text: 'closed on Mondays' }]
    expect(await rawCall(cell, 'fail')).toMatchObject({ isError: true, content })
  },

  async function toolCrashes(cell) {
    const result = await rawCall(cell, 'crash')
    expect(result).toMatchObject({ isError: true })
    expect(JSON.stringify(result)).not.toContain('cellar')
  },

  async function argumentsDoNotFit(cell) {
    const refused = rawCall(cell, 'sum', { a: 'one', b: 2 })
    // spec 2025-11-25, changelog: from here on, validation errors are results that the model reads.
    if (isBefore('2025-11-25', cell.caller)) await expect(refused).rejects.toMatchObject({ code: invalidParams })
    else expect(await refused).toMatchObject({ isError: true })
  },

  async function serverObjects(cell) {
    await expect(rawCall(cell, 'object')).rejects.toMatchObject({ code: ownCode, message: 'not like this' })
  },

  async function toolUnknown(cell) {
    await expect(rawCall(cell, 'nowhere')).rejects.toMatchObject({ code: invalidParams })
  },

  async function methodUnknown(cell) {
    await expect(cell.client.request('sample/nothing')).rejects.toMatchObject({ code: methodNotFound })
  },

  async function resourceMissing(cell) {
    // spec 2026-07-28, changelog: resources have no error code of their own any more.
    const code = isBefore('2026-07-28', cell.caller) ? noResource : invalidParams
    const uri = `note://${idOf(cell.server)}/sunday`
    await expect(cell.client.request('resources/read', { uri })).rejects.toMatchObject({ code })
  },
]
