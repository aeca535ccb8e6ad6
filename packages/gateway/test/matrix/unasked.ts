import { expect } from 'vitest'
import { type Cell, rawCall } from './cell.js'
import { gapIn, isBefore } from './gaps.js'

const missingCapability = -32021

/** A caller without the capability is not asked. The newest revision has an error for that; in older ones the tool fails. */
export async function expectMissingCapability(cell: Cell): Promise<void> {
  const refused = rawCall(cell, 'book', { name: 'Ada' })
  // spec 2026-07-28, basic/index#meta
  if (isBefore('2026-07-28', cell.caller) || gapIn('forms', cell))
    expect(await refused).toMatchObject({ isError: true, content: [{ text: expect.stringContaining('elicitation') }] })
  else await expect(refused).rejects.toMatchObject({ code: missingCapability })
}
