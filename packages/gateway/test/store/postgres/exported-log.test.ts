// The exported log of several gateways, verified without any of them.
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { howMany } from '../../../../toolwire/test/soak.js'
import type { SignedHead } from '../../../src/store/audit/signed-head.js'
import { verifyExport } from '../../../src/store/audit/verify-export.js'
import { passDays } from '../../support/old-days.js'
import { appendTo, createTables, startReplica } from '../../support/postgres-audit.js'
import { intentOf, outcomeOf } from '../../support/stores.js'

type Exported = { readonly lines: readonly string[]; readonly head: SignedHead }

let server: PostgresServer
/** Exports from before and after retention. */
const files: Exported[] = []

beforeAll(async () => {
  if (!postgresFound) return
  server = await postgresServer()
  const url = await server.database()
  await createTables(url)
  const replicas = await Promise.all([1, 2, 3].map(() => startReplica(url)))
  const { audit, postgres } = replicas[0]!
  const round = async (n: number) => {
    for (const [nth, replica] of replicas.entries()) {
      if (n > 3 && nth === 2) continue
      const about = { id: `${nth}-${n}`, caller: 'Zoë \u2028' }
      await appendTo(replica, intentOf(n, about), outcomeOf(n, about))
      await audit.checkpoint()
    }
  }
  const keep = async () => {
    let text = ''
    for await (const piece of audit.export('ndjson')) text += piece
    files.push({ lines: text.trimEnd().split('\n'), head: audit.signHead()! })
  }
  for (const n of [1, 2, 3]) await round(n)
  await keep()
  await passDays(
    postgres,
    30,
    replicas.slice(0, 2).map(({ stream }) => stream),
  )
  expect(await audit.retain({ days: 10 })).toBe(18)
  for (const n of [4, 5]) await round(n)
  await keep()
  for (const replica of replicas) await replica.close()
})
afterAll(() => server?.close())

/** Chunks that end anywhere, even within a character. */
async function* pieces(lines: readonly string[], size: number) {
  const bytes = Buffer.from(`${lines.join('\n')}\n`)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

describe.skipIf(!postgresFound)('an exported log of several gateways', () => {
  it('verifies if unchanged, with a head that was stored elsewhere', async () => {
    for (const [nth, { lines, head }] of files.entries())
      expect(await verifyExport(pieces(lines, 97 + nth), { head })).toMatchObject({
        ok: true,
        entries: [18, 8][nth],
        head: { sequence: head.sequence, hash: head.hash },
      })
  })

  it('does not verify with a head that retention has dropped, but does not call the log altered', async () => {
    const [before, after] = files
    const verdict = await verifyExport(pieces(after!.lines, 997), {
      head: { ...before!.head, sequence: before!.head.sequence - 1 },
    })
    expect(verdict).toMatchObject({ ok: false, dropped: true })
  })

  it('reveals every removed, altered, repeated or moved line', async () => {
    const pick = {
      file: fc.nat({ max: 1 }),
      at: fc.nat({ max: 999 }),
      to: fc.nat({ max: 999 }),
      how: fc.constantFrom('out', 'altered', 'again', 'moved'),
    }
    await fc.assert(
      fc.asyncProperty(fc.record(pick), async ({ file, at, to, how }) => {
        const { lines, head } = files[file]!
        const changed = [...lines]
        const index = at % lines.length
        const line = lines[index]!
        if (how !== 'again') changed.splice(index, 1)
        if (how === 'altered')
          changed.splice(
            index,
            0,
            line.replace(/\d(?=\D*$)/, (digit) => `${9 - Number(digit)}`),
          )
        if (how === 'again' || how === 'moved') changed.splice(to % (changed.length + 1), 0, line)
        // The number of records of a stream is signed only in a checkpoint.
        const isSame = changed.join() === lines.join() || (how === 'altered' && line.startsWith('{"stream"'))
        fc.pre(!isSame)
        expect(await verifyExport(pieces(changed, 4_096), { head })).toMatchObject({ ok: false, why: expect.stringMatching(/./) })
      }),
      { numRuns: howMany(150, 2_000) },
    )
  })
})
