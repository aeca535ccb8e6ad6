// Kills a gateway under load again and again.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type AuditHead, auditLine, verifyAudit } from 'toolwire/guard'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hmacSha256 } from '../../../toolwire/src/policy/hash/hashing.js'
import { expectWithin, howMany } from '../../../toolwire/test/soak.js'
import { deriveKey, readVaultKey } from '../../src/store/secrets/seal.js'
import { openDatabase } from '../support/open-database.js'
import { ask } from '../support/running-gateway.js'
import { Load } from './load.js'
import { HttpPeer } from './peer.js'
import { type Place, place } from './place.js'
import { slowness, until } from './waiting.js'

const kills = howMany(3, 500)

let work: HttpPeer
beforeAll(async () => {
  work = await HttpPeer.start()
})
afterAll(() => work.kill())

type Row = { readonly sequence: number; readonly hash: string; readonly text: string }

/** Log records after a sequence, read from the file while no gateway runs. */
function recordsAfter(folder: string, sequence: number): Row[] {
  const db = openDatabase(join(folder, 'data'))
  const rows = db.prepare('SELECT sequence, hash, text FROM audit WHERE sequence > ? ORDER BY sequence').all([sequence]) as Row[]
  db.close()
  return rows
}

/** The digest of a call's arguments as the log contains it. */
function digests(folder: string): (id: string) => string {
  const file = join(folder, 'data', 'vault.key')
  const hmac = hmacSha256(deriveKey(readVaultKey(readFileSync(file, 'utf8'), file), 'toolwire audit digests'))
  return (id) => hmac(JSON.stringify({ id }))
}

const known = new Set<string>()
const begun = new Set<string | undefined>()

/** Checks that each acknowledged record is in the log and in order; returns the last one. */
async function checkLog({ folder, received, done }: Place, from: AuditHead | undefined): Promise<AuditHead | undefined> {
  const rows = recordsAfter(folder, from?.sequence ?? 0)
  const records = rows.map(({ text }) => JSON.parse(text))
  const intents = new Map(records.flatMap(({ kind, id, arguments: given }) => (kind === 'intent' ? [[id, given?.hmac]] : [])))
  const ended = new Set(
    records.flatMap(({ kind, id, outcome }) => (kind === 'outcome' && outcome === 'ok' ? [intents.get(id)] : [])),
  )
  // An upstream may finish a call after its gateway was killed, so the intent may belong to an earlier gateway.
  for (const hmac of intents.values()) begun.add(hmac)
  const digest = digests(folder)
  expect([...received.answered].filter((id) => !ended.has(digest(id)))).toEqual([])
  expect(done().filter((id) => !known.has(id) && !begun.has(digest(id)))).toEqual([])
  for (const id of done()) known.add(id)
  received.answered.clear()
  const last = rows.at(-1)
  const head = last ? { sequence: last.sequence, hash: last.hash } : from
  expect(await verifyAudit(rows.map(auditLine), { from, head })).toMatchObject({ ok: true })
  return head
}

/** Starts a number of gateways on one directory, one after the other, and kills each under load. */
async function killRepeatedly(name: string, times: number): Promise<number[]> {
  const at = place(work, name)
  const ready: number[] = []
  let head: AuditHead | undefined
  for (let time = 0; time < times; time++) {
    const gateway = await at.start()
    ready.push(gateway.readyMs)
    const load = new Load(gateway, at.received, { work: 6, risky: 3 })
    const again = load.again()
    // An approval that was decided cannot be decided again.
    await Promise.all([...at.received.decided].flatMap(([id, often]) => (often > 0 ? [load.agree(id)] : [])))
    await until(() => load.agreed > 0)
    await pause(Math.random() * 80)
    expect(await gateway.stop('SIGKILL')).toBe('SIGKILL')
    await Promise.all([load.over(), again])
    expect([...at.received.decided].filter(([, often]) => often > 1)).toEqual([])
    // Decisions that have survived ten starts are not tried again.
    for (const [id, often] of at.received.decided) if (often > 0 && time % 10 === 9) at.received.decided.delete(id)
    head = await checkLog(at, head)
  }
  const last = await at.start()
  await new Load(last, at.received, { work: 0, risky: 0 }).again()
  const done = at.done()
  expect(new Set(done).size).toBe(done.length)
  expect((await ask(last, '/audit/verify')).body).toMatchObject({ ok: true })
  await last.stop('SIGKILL')
  return ready
}

describe('row 21: a gateway that is killed under load', () => {
  it(`${kills} times: loses no record that was acknowledged, makes no call twice, and decides nothing twice`, async () => {
    // Two sequences run side by side to save time. They share the machine, so start times are longer than alone.
    const ready = (
      await Promise.all([killRepeatedly('one', Math.ceil(kills / 2)), killRepeatedly('two', Math.floor(kills / 2))])
    ).flat()
    expectWithin(Math.min(...ready), 3_000 * slowness())
  }, 3_600_000)
})
