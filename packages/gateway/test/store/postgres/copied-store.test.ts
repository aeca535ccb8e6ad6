// Copies of a data directory to PostgreSQL, and back: nothing is lost, and an incomplete copy is never used.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, createReadStream, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import Database from 'libsql'
import { auditLog, type Pin } from 'toolwire/guard'
import { postgresStores } from 'toolwire/postgres'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { pgBouncer, pgBouncerFound } from '../../../../toolwire/test/pg-bouncer.js'
import { type PostgresServer, postgresFound, postgresServer } from '../../../../toolwire/test/postgres-server.js'
import { howMany } from '../../../../toolwire/test/soak.js'
import { checkExport } from '../../../src/cli/audit/check-witness.js'
import { mostPageBytes } from '../../../src/store/approvals/approval-queue.js'
import { headSigner, newSigningKey } from '../../../src/store/audit/signed-head.js'
import { verifyExport } from '../../../src/store/audit/verify-export.js'
import { copyRowsToDirectory, copyRowsToPostgres } from '../../../src/store/copy/copied-rows.js'
import { copyToDirectory } from '../../../src/store/copy/copy-to-directory.js'
import { copyToPostgres } from '../../../src/store/copy/copy-to-postgres.js'
import { openDatabase } from '../../../src/store/database/connection.js'
import { migrate } from '../../../src/store/database/migrations.js'
import { openPostgres, poolOf, type Sql } from '../../../src/store/postgres/connection.js'
import type { Store } from '../../../src/store/store.js'
import { asked } from '../../support/approval-requests.js'
import { inDatabase, newPostgresStore } from '../../support/postgres-stores.js'
import { clean, program, toolwire } from '../../support/run-program.js'
import { append, intentOf, newDirectory, newStore, outcomeOf } from '../../support/stores.js'
import { markIn, read, tamper } from '../../support/tampered-log.js'

const options = { keys: {}, onProgress: () => undefined }
const ownKeys = { vaultKey: '', auditKey: '' }
const hour = 3_600_000

const pin = (server: string | undefined, tool: string): Pin => ({ server, tool, hash: tool, definition: {}, at: 1 })
const call = (n: number) => [intentOf(n), outcomeOf(n)]

describe.skipIf(!postgresFound)('a copied store', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await postgresServer()
  })
  afterAll(() => server.close())

  /** The store of gateways that have the keys of this directory. */
  const shared = (url: string, directory: string) => newPostgresStore(url, ownKeys, directory)

  async function filled(directory: string, calls = 3): Promise<Store> {
    const store = await newStore({}, directory)
    for (let n = 1; n <= calls; n++) await append(store, ...call(n))
    return store
  }

  const isEmpty = async (url: string) =>
    (await inDatabase<{ none: boolean }>(url, `SELECT to_regnamespace('toolwire') IS NULL AS none`))[0]?.none

  it('contains everything, and exported heads of its log remain valid', async () => {
    const [directory, url] = [newDirectory(), await server.database()]
    const store = await filled(directory)
    const early = store.audit.signHead()!
    await append(store, ...call(4))
    const grant = {
      id: 'g',
      caller: 'eve',
      server: 'mail',
      tool: 'send',
      definitionHash: 'sha256:0',
      expiresAt: Date.now() + hour,
    }
    await store.grants.add(grant)
    await store.pins.set(pin('mail', 'send'))
    await store.pins.set(pin(undefined, 'nul \0 \uf8f0'))
    await store.marks.set('state', { server: 'mail', tool: 'send' }, { state: 'off', at: 1, by: 'ana' })
    await store.vault.tokens('mail', 'ana').set('token', 'a secret')
    const waiting = asked({ held: false })
    const [allowed, denied] = [asked({ held: false }), asked()]
    for (const one of [waiting, allowed, denied]) expect(await store.approvals.add(one, 10)).toBe('added')
    await store.approvals.decide(allowed.id, 'allow', 'ana')
    await store.approvals.decide(denied.id, 'deny', 'ana')
    const last = store.audit.signHead()!
    const { salt } = store.servers
    await store.close()

    const counts = await copyToPostgres(directory, url, options)
    expect(counts).toEqual(
      expect.arrayContaining([
        { what: 'audit records', source: 8, target: 8 },
        { what: 'approvals', source: 3, target: 3 },
        { what: 'credentials', source: 1, target: 1 },
        { what: 'pins', source: 2, target: 2 },
        { what: 'grants', source: 1, target: 1 },
      ]),
    )
    const copy = await shared(url, directory)
    expect(await copy.grants.list()).toEqual([grant])
    expect(await copy.pins.list()).toEqual(expect.arrayContaining([pin('mail', 'send'), pin(undefined, 'nul \0 \uf8f0')]))
    expect(copy.marks.get('state', { server: 'mail', tool: 'send' })).toMatchObject({ state: 'off' })
    expect(await copy.vault.tokens('mail', 'ana').get('token')).toBe('a secret')
    expect(copy.servers.salt).toBe(salt)
    expect(await copy.approvals.pending()).toMatchObject([{ id: waiting.id, arguments: { to: 'ada' } }])
    expect((await copy.approvals.find(denied.id))?.is).toMatchObject({ state: 'denied' })
    expect(await copy.approvals.release(allowed.id, allowed.digest)).toBe(true)
    expect(await copy.approvals.release(allowed.id, allowed.digest)).toBe(false)
    expect(await copy.approvals.decide(waiting.id, 'allow')).toBe(true)

    expect(await copy.audit.verify()).toMatchObject({ ok: true, entries: 8 })
    expect((await copy.audit.search({ caller: 'eve', tool: 'send' })).calls.map(({ call }) => call)).toEqual([
      'call-4',
      'call-3',
      'call-2',
      'call-1',
    ])
    await append(copy, ...call(5))
    await copy.audit.quiet()
    const head = copy.audit.signHead()!
    expect(head.sequence).toBeGreaterThan(last.sequence + 1)
    expect(await copy.audit.verify()).toMatchObject({ ok: true, entries: 10 })
    expect(await copy.audit.headHash(early.sequence)).toBe(early.hash)
    expect(await copy.audit.checkWitnessed([early, last, head])).toEqual({ ok: true, heads: 3, dropped: 0 })
    const lines: string[] = []
    for await (const piece of copy.audit.export('ndjson')) lines.push(piece)
    expect(await verifyExport(pieces(lines), { head: early })).toMatchObject({ ok: true, entries: 10 })
    const exported = join(newDirectory(), 'audit.ndjson')
    writeFileSync(exported, lines.join(''))
    expect(await checkExport(exported, [early, last, head], { key: head.key })).toEqual({ ok: true, heads: 3, dropped: 0 })
    const signer = headSigner(readFileSync(join(directory, 'audit.key'), 'utf8'))
    const forged = signer.sign({ ...last, sequence: early.sequence }, 'head')
    expect(await checkExport(exported, [forged], { key: head.key })).toMatchObject({ ok: false, sequence: early.sequence })
    expect(await copy.audit.checkWitnessed([forged])).toMatchObject({ ok: false, sequence: early.sequence })
    expect(await copy.audit.verify({ head: forged })).toMatchObject({ ok: false })
    const other = { sequence: early.sequence, hash: '0'.repeat(64) }
    expect(await verifyExport(pieces(lines), { head: other })).toMatchObject({ ok: false, sequence: early.sequence })
  })

  it('accepts no used answer, in either direction, even beside used answers of other applications', async () => {
    const [origin, back, url, again] = [newDirectory(), newDirectory(), await server.database(), await server.database()]
    const until = Date.now() + hour
    const claims = async ({ spentTickets }: Store, ...tickets: string[]) => {
      const first: boolean[] = []
      for (const ticket of tickets) first.push(await spentTickets.claim(ticket, until))
      return first
    }
    const store = await filled(origin)
    expect(await claims(store, 'one')).toEqual([true])
    await store.close()
    expect(await copyToPostgres(origin, url, options)).toContainEqual({ what: 'tickets', source: 1, target: 1 })
    const copy = await shared(url, origin)
    expect(await claims(copy, 'one', 'two')).toEqual([false, true])
    await copy.close()
    for (const name of ['vault.key', 'audit.key']) copyKey(origin, back, name)
    expect((await copyToDirectory(url, back, options)).counts).toContainEqual({ what: 'tickets', source: 2, target: 2 })
    const alone = await newStore({}, back)
    expect(await claims(alone, 'one', 'two', 'three')).toEqual([false, false, true])
    await alone.close()
    const other = await openPostgres(again, () => undefined)
    const { spentTickets, migrate } = postgresStores(poolOf(other), { replicas: 1 })
    await migrate()
    for (const ticket of ['two', 'another']) expect(await spentTickets.claim(ticket, until)).toBe(true)
    await other.close()
    expect(await copyToPostgres(back, again, options)).toContainEqual({ what: 'tickets', source: 3, target: 3 })
    expect(await claims(await shared(again, back), 'one', 'two', 'three', 'four')).toEqual([false, false, false, true])
  })

  it('with large approvals is copied in pages, in both directions', async () => {
    const [origin, back, url] = [newDirectory(), newDirectory(), await server.database()]
    const store = await newStore({}, origin)
    for (let n = 0; n < 6; n++) await store.approvals.add(asked({ arguments: { text: 'x'.repeat(1_000_000) } }), 10)
    await store.close()
    const [source, target] = [origin, back].map((directory) => openDatabase(join(directory, 'toolwire.db')))
    if (!source || !target) throw new Error('There are no databases')
    migrate(target)
    const sent: number[] = []
    const taking = async (_: string, [text]: readonly unknown[] = []) => {
      sent.push(String(text).length)
      return []
    }
    await copyRowsToPostgres(source, taking)
    source.close()
    await copyToPostgres(origin, url, options)
    const postgres = await openPostgres(url, () => undefined, 1, 120_000)
    const read: number[] = []
    const giving: Sql = async <Row extends object>(text: string, values?: readonly unknown[]) => {
      const rows = await postgres.sql<Row & { sealed?: Uint8Array }>(text, values)
      read.push(rows.reduce((bytes, { sealed }) => bytes + (sealed?.length ?? 0), 0))
      return rows
    }
    await copyRowsToDirectory(giving, target)
    expect(target.prepare('SELECT count(*) AS count FROM approvals').get()).toMatchObject({ count: 6 })
    target.close()
    await postgres.close()
    for (const sizes of [sent, read]) expect(Math.max(...sizes)).toBeLessThanOrEqual(mostPageBytes)
    expect(Math.max(...read)).toBeGreaterThan(3_000_000)
  })

  it('whose first records were changed later no longer matches its witness', async () => {
    const [directory, url] = [newDirectory(), await server.database()]
    const store = await filled(directory)
    const head = store.audit.signHead()!
    await store.close()
    await copyToPostgres(directory, url, options)
    await inDatabase(
      url,
      `UPDATE toolwire.audit SET text = replace(text, 'eve', 'ada'), hash = '\\x${'ab'.repeat(32)}' WHERE sequence = 6`,
    )
    const copy = await shared(url, directory)
    expect(await copy.audit.verify()).toMatchObject({ ok: false, sequence: 6 })
    expect(await copy.audit.checkWitnessed([head])).toMatchObject({ ok: false, sequence: 6 })
  })

  it('begins where the log began, and retention continues', async () => {
    const [directory, url] = [newDirectory(), await server.database()]
    const source = await newStore({}, directory)
    const writtenBefore = async (days: number, from: number, to: number) => {
      const at = Date.now() - days * 24 * hour
      for (let n = from; n <= to; n++) await append(source, intentOf(n, { at }), outcomeOf(n, { at }))
    }
    await writtenBefore(10, 1, 4)
    const early = source.audit.signHead()!
    await writtenBefore(3, 5, 6)
    expect(await source.audit.retain({ records: 6 })).toBe(6)
    const last = source.audit.signHead()!
    await source.close()
    await copyToPostgres(directory, url, options)
    const copy = await shared(url, directory)
    expect(await copy.audit.verify({ head: early })).toMatchObject({ ok: true, entries: 6 })
    expect(await inDatabase(url, 'SELECT count(DISTINCT day)::int AS days FROM toolwire.audit')).toEqual([{ days: 2 }])
    await append(copy, ...call(7))
    await copy.audit.quiet()
    expect(await copy.audit.retain({ days: 5 })).toBe(2)
    expect(await copy.audit.verify()).toMatchObject({ ok: true, entries: 6 })
    expect(await copy.audit.checkWitnessed([early, last])).toEqual({ ok: true, heads: 2, dropped: 0 })
    // Makes the last writes nine days old.
    await inDatabase(url, `UPDATE toolwire.audit_streams SET at = at - interval '9 days' WHERE stream <> $1`, [copy.fleet?.id])
    await inDatabase(url, `UPDATE toolwire.audit_checkpoints SET at = at - interval '9 days'`)
    expect(await copy.audit.retain({ days: 2 })).toBe(4)
    expect(await copy.audit.verify()).toMatchObject({ ok: true, entries: 2 })
    expect(await copy.audit.checkWitnessed([early, last])).toEqual({ ok: true, heads: 2, dropped: 2 })
  })

  /** The contents of the directory that a copy can preserve. */
  const contents = (directory: string) => ({
    audit: read(directory, 'SELECT sequence, hash, text FROM audit ORDER BY sequence'),
    kept: read(directory, 'SELECT room, key, value FROM kept ORDER BY room, key'),
    sealed: read(directory, 'SELECT server, principal, name, hex(value) AS value FROM sealed ORDER BY server, principal, name'),
    approvals: read(
      directory,
      `SELECT id, caller, server, tool, danger, call_digest, digest, held, asked, hex(sealed) AS sealed, expires, waits, live, state,
         why, always, decider, decision, settled FROM approvals ORDER BY added`,
    ),
    begin: read(
      directory,
      `SELECT value ->> '$.sequence' AS sequence, value ->> '$.hash' AS hash FROM state WHERE name = 'from'`,
    ),
  })

  const word = fc.string({
    unit: fc.constantFrom('a', 'B', '"', '\\', '\n', '\uf8f0', 'ä', '\u{1f511}', '\u2028', "'"),
    maxLength: 6,
  })
  const approval = fc.record({
    caller: word,
    server: fc.option(word),
    tool: word,
    danger: fc.nat(3),
    held: fc.nat(1),
    state: fc.constantFrom('pending', 'allowed', 'denied', 'released', 'expired', 'gone'),
    sealed: fc.option(fc.uint8Array({ maxLength: 20 })),
    why: fc.option(word),
    always: fc.option(fc.constant('{"forMs":1}')),
    decider: fc.option(word),
    settled: fc.option(fc.nat()),
  })
  const state = fc.record({
    calls: fc.nat(6),
    kept: fc.nat(4),
    rows: fc.uniqueArray(fc.tuple(word, word, word), { selector: ([room, key]) => `${room} ${key}`, maxLength: 8 }),
    sealed: fc.uniqueArray(fc.tuple(word, word, word), { selector: (one) => one.join(' '), maxLength: 4 }),
    approvals: fc.array(approval, { maxLength: 5 }),
  })

  async function write(directory: string, given: typeof state extends fc.Arbitrary<infer State> ? State : never): Promise<void> {
    const store = await filled(directory, given.calls)
    if (given.kept > 0) await store.audit.retain({ records: given.kept })
    for (const [server, principal, name] of given.sealed) await store.vault.tokens(server, principal).set(name, name)
    await store.close()
    const db = new Database(join(directory, 'toolwire.db'))
    for (const row of given.rows) db.prepare('INSERT OR IGNORE INTO kept VALUES (?, ?, ?)').run([...row])
    for (const [n, one] of given.approvals.entries()) {
      const isLive = one.state === 'denied'
      db.prepare(
        `INSERT INTO approvals (id, caller, server, tool, danger, call_digest, digest, held, asked, sealed, expires, waits, until, live, state,
           why, always, decider, decision, settled) VALUES (?, ?, ?, ?, ?, ?, ?, ?, '{"serverIdentity":"x"}', ?, ?, 60000, 0, ?, ?, ?, ?, ?, ?, ?)`,
      ).run([
        ...[`id ${n}`, one.caller, one.server, one.tool, one.danger, `call ${n}`, `digest ${n}`, one.held],
        // Only live requests have sealed bytes.
        ...[isLive ? null : one.sealed && Buffer.from(one.sealed), Date.now() + hour, isLive ? 1 : 0, one.state],
        ...[one.why, one.always, one.decider, one.decider && 'deny', one.settled],
      ])
    }
    db.close()
    // The migrations of a start.
    await (await newStore({}, directory)).close()
  }

  it('equals its source after a copy back, for any contents', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(state, async (given) => {
        const [origin, back, url] = [newDirectory(), newDirectory(), await server.database()]
        await write(origin, given)
        const before = contents(origin)
        for (const name of ['vault.key', 'audit.key']) copyKey(origin, back, name)
        await copyToPostgres(origin, url, options)
        expect(contents(origin)).toEqual(before)
        const { file } = await copyToDirectory(url, back, options)
        expect(file).toBeUndefined()
        expect(contents(back)).toEqual(before)
        const [mark] = read(back, `SELECT CAST(value AS INTEGER) AS indexed FROM state WHERE name = 'indexed'`)
        expect(mark?.indexed).toBe(before.audit.at(-1)?.sequence ?? 0)
        const store = await newStore({}, back)
        expect(await store.audit.verify()).toMatchObject(before.audit.length > 0 ? { ok: true } : { empty: true })
        await append(store, ...call(100))
        expect(await store.audit.verify()).toMatchObject({ ok: true, entries: before.audit.length + 2 })
        await store.close()
      }),
      { numRuns: howMany(6, 60) },
    )
  })

  it('of several gateways is copied back with its log in a file and a new chain that names it; and to PostgreSQL again', async () => {
    const [origin, back, url] = [newDirectory(), newDirectory(), await server.database()]
    const first = await filled(origin)
    const head = first.audit.signHead()!
    await first.close()
    await copyToPostgres(origin, url, options)
    for (const n of [10, 20]) {
      const gateway = await shared(url, origin)
      await append(gateway, ...call(n))
      await gateway.pins.set(pin('mail', `of ${n}`))
      await gateway.close()
    }
    for (const name of ['vault.key', 'audit.key']) copyKey(origin, back, name)
    const { file, counts } = await copyToDirectory(url, back, options)
    expect(counts).toContainEqual({ what: 'audit records', source: 10, target: 10 })
    expect(file).toMatch(/^audit-until-\d+\.ndjson$/)
    expect(readdirSync(back).filter((name) => name.startsWith('audit-'))).toEqual([file])
    expect(await verifyExport(createReadStream(join(back, file!)), { head })).toMatchObject({ ok: true, entries: 10 })
    const store = await newStore({}, back)
    expect(store.pins.list()).toHaveLength(2)
    const { sequence } = markIn(back)!
    expect(file).toBe(`audit-until-${sequence}.ndjson`)
    const record = await store.audit.record(sequence + 1)
    expect(record?.record).toMatchObject({ tool: 'toolwire/copy-store', arguments: { file, records: 10 } })
    await append(store, ...call(30))
    expect(await store.audit.verify()).toMatchObject({ ok: true, entries: 4 })
    const later = store.audit.signHead()!
    await store.close()

    const again = await server.database()
    await copyToPostgres(back, again, options)
    const gateway = await shared(again, back)
    expect(await gateway.audit.verify()).toMatchObject({ ok: true, entries: 4 })
    expect(await gateway.audit.checkWitnessed([head, later])).toEqual({ ok: true, heads: 2, dropped: 1 })
  })

  it('that fails while the log is written leaves neither a store nor a log behind, and removes nothing that was there', async () => {
    const [directory, url, back] = [newDirectory(), await server.database(), newDirectory()]
    await (await filled(directory)).close()
    await copyToPostgres(directory, url, options)
    await (await shared(url, directory)).close()
    for (const name of ['vault.key', 'audit.key']) copyKey(directory, back, name)
    const failing = (what: string) => {
      if (what === 'copied') throw new Error('The disk is full')
    }
    await expect(copyToDirectory(url, back, { ...options, onProgress: failing })).rejects.toThrow('The disk is full')
    expect(readdirSync(back).sort()).toEqual(['audit.key', 'toolwire.lock', 'vault.key'])
    const { file } = await copyToDirectory(url, back, options)
    const move = (from: string, to: string) => {
      for (const end of ['', '-wal', '-shm']) renameSync(join(back, `${from}${end}`), join(back, `${to}${end}`))
    }
    move('toolwire.db', 'before.db')
    await expect(copyToDirectory(url, back, { ...options, onProgress: failing })).rejects.toThrow('The disk is full')
    expect(readdirSync(back)).toEqual(expect.arrayContaining(['before.db', file]))
    move('before.db', 'toolwire.db')
    await expect(copyToDirectory(url, back, options)).rejects.toThrow(/has a store already/)
    expect(readdirSync(back)).toContain('toolwire.db')
  })

  const alterations = {
    'a changed record': `UPDATE audit SET text = replace(text, 'eve', 'ada') WHERE sequence = 3`,
    'a missing record': 'DELETE FROM audit WHERE sequence = 3',
    'an invalid record': `UPDATE audit SET text = 'x' WHERE sequence = 3`,
  }
  it.each(Object.entries(alterations))('is refused for %s, which is named', async (_, statement) => {
    const [directory, url] = [newDirectory(), await server.database()]
    await (await filled(directory)).close()
    tamper(directory, statement)
    await expect(copyToPostgres(directory, url, options)).rejects.toThrow(
      /^Record 3 of the log was altered, so nothing was copied/,
    )
    expect(await isEmpty(url)).toBe(true)
  })

  it('is refused for an altered log in PostgreSQL', async () => {
    const [directory, url, back] = [newDirectory(), await server.database(), newDirectory()]
    await (await filled(directory)).close()
    await copyToPostgres(directory, url, options)
    for (const name of ['vault.key', 'audit.key']) copyKey(directory, back, name)
    await inDatabase(url, `UPDATE toolwire.audit SET text = replace(text, 'eve', 'ada') WHERE sequence = 3`)
    await expect(copyToDirectory(url, back, options)).rejects.toThrow(/Stream .*record 3\)/)
    // The lock stays, because without its file two processes could have the directory.
    expect(readdirSync(back).sort()).toEqual(['audit.key', 'toolwire.lock', 'vault.key'])
  })

  it('is refused with other keys than those in the data directory, before anything is written', async () => {
    const [directory, back, url] = [newDirectory(), newDirectory(), await server.database()]
    await (await filled(directory)).close()
    for (const name of ['vault.key', 'audit.key']) copyKey(directory, back, name)
    const other = { vaultKey: 'ab'.repeat(32), auditKey: newSigningKey() }
    const text = (name: string) => readFileSync(join(directory, name), 'utf8')
    const own = { vaultKey: text('vault.key'), auditKey: join(directory, 'audit.key') }
    const cases = [
      [{ ...own, vaultKey: other.vaultKey }, 'TOOLWIRE_VAULT_KEY', 'vault.key'],
      [{ ...own, auditKey: other.auditKey }, 'TOOLWIRE_AUDIT_KEY', 'audit.key'],
    ] as const
    for (const [keys, variable, file] of cases) {
      const words = (at: string) => `${variable} is not the key in ${join(at, file)}. Unset ${variable}, and give the file to`
      await expect(copyToPostgres(directory, url, { ...options, keys })).rejects.toThrow(words(directory))
      await expect(copyToDirectory(url, back, { ...options, keys })).rejects.toThrow(words(back))
    }
    expect(await isEmpty(url)).toBe(true)
    expect(readdirSync(back).sort()).toEqual(['audit.key', 'vault.key'])
    await copyToPostgres(directory, url, { ...options, keys: own })
  })

  it('is refused if the target or source is unsuitable, and leaves both unchanged', async () => {
    const [directory, url] = [newDirectory(), await server.database()]
    const store = await filled(directory)
    await store.vault.tokens('mail', 'ana').set('token', 'a secret')
    await expect(copyToPostgres(directory, url, options)).rejects.toThrow(/in use by process/)
    await store.close()
    tamper(directory, 'PRAGMA user_version = 3')
    await expect(copyToPostgres(directory, url, options)).rejects.toThrow(/is of another version than this program/)
    tamper(directory, 'PRAGMA user_version = 4')
    const otherKey = { ...options, keys: { vaultKey: 'ab'.repeat(32) } }
    const away = join(directory, 'vault.key.away')
    renameSync(join(directory, 'vault.key'), away)
    await expect(copyToPostgres(directory, url, otherKey)).rejects.toThrow(/sealed with another key/)
    renameSync(away, join(directory, 'vault.key'))
    await expect(copyToPostgres(newDirectory(), url, options)).rejects.toThrow(/no vault.key/)
    expect(await isEmpty(url)).toBe(true)
    // A single damaged value does not prove a wrong key.
    tamper(directory, `INSERT INTO sealed VALUES ('calendar', 'ana', 'token', x'00')`)
    await copyToPostgres(directory, url, options)
    await expect(copyToPostgres(directory, url, options)).rejects.toThrow(/has a store already/)
    await expect(copyToDirectory(url, directory, options)).rejects.toThrow(/has a store already/)
    await expect(copyToDirectory(url, newDirectory(), options)).rejects.toThrow(/does not have the key/)
    await expect(copyToDirectory(await server.database(), newDirectory(), options)).rejects.toThrow(/has no store/)
    await shared(url, directory)
    const back = newDirectory()
    for (const name of ['vault.key', 'audit.key']) copyKey(directory, back, name)
    await expect(copyToDirectory(url, back, options)).rejects.toThrow(/^A gateway uses the database/)
  })

  /** A valid log with this many calls. */
  async function long(directory: string, calls: number, everyMs = 400, began = Date.now() - 40 * 24 * hour): Promise<void> {
    await (await newStore({}, directory)).close()
    const db = new Database(join(directory, 'toolwire.db'))
    const insert = db.prepare('INSERT INTO audit (sequence, hash, text) VALUES (?, ?, ?)')
    const log = auditLog({
      head: () => undefined,
      write: async (entries) => {
        db.exec('BEGIN')
        for (const { sequence, hash, text } of entries) insert.run([sequence, hash, text])
        db.exec('COMMIT')
      },
    })
    const some = Math.min(calls, 5_000)
    for (let n = 0; n < calls; n += some)
      await Promise.all(
        Array.from({ length: some }, (_, more) => [
          log.append(intentOf(n + more, { at: began + (n + more) * everyMs })),
          log.append(outcomeOf(n + more, { at: began + (n + more) * everyMs })),
        ]).flat(),
      )
    db.close()
  }

  it('of years has a table for each of the last days, and one for each earlier month', { timeout: 300_000 }, async () => {
    const [directory, url] = [newDirectory(), await server.database()]
    await long(directory, 1_100, 24 * hour, Date.now() - 1_099 * 24 * hour)
    await copyToPostgres(directory, url, options)
    const copy = await shared(url, directory)
    expect(await copy.audit.verify()).toMatchObject({ ok: true, entries: 2_200 })
    const tables = await inDatabase(url, `SELECT 1 FROM pg_inherits WHERE inhparent = 'toolwire.audit'::regclass`)
    expect(tables.length).toBeGreaterThan(130)
    expect(tables.length).toBeLessThan(175)
    expect(await copy.audit.retain({ days: 400 })).toBeGreaterThan(2 * 660)
    expect(await copy.audit.verify()).toMatchObject({ ok: true })
  })

  it.skipIf(!pgBouncerFound)('is made through PgBouncer, too', async () => {
    const [directory, back, url] = [newDirectory(), newDirectory(), await server.database()]
    await (await filled(directory)).close()
    const pooler = await pgBouncer(url)
    onTestFinished(() => pooler.close())
    await copyToPostgres(directory, pooler.url, options)
    for (const name of ['vault.key', 'audit.key']) copyKey(directory, back, name)
    expect((await copyToDirectory(pooler.url, back, options)).counts).toContainEqual({
      what: 'audit records',
      source: 6,
      target: 6,
    })
  })

  it('that was killed is incomplete, and is made again from the start', { timeout: 300_000 }, async () => {
    const [directory, url] = [newDirectory(), await server.database()]
    await long(directory, 20_000)
    const copy = (...words: string[]) => ['store', 'copy', ...words, '--json']
    const environment = { env: clean(directory), cwd: directory }
    /** Kills the command when it sends this statement to PostgreSQL. */
    async function killed(words: string[], statement: string): Promise<void> {
      const child = spawn(process.execPath, [program, ...words], { ...environment, stdio: 'ignore' })
      const ended = once(child, 'exit')
      const asked = `SELECT 1 AS one FROM pg_stat_activity
        WHERE datname = current_database() AND query LIKE '%${statement}%' AND pid <> pg_backend_pid()`
      await expect.poll(async () => (await inDatabase(url, asked)).length, { interval: 5 }).toBe(1)
      child.kill('SIGKILL')
      expect(await ended).toEqual([null, 'SIGKILL'])
    }
    const to = copy('--to', url, '--data-dir', directory)
    await killed(to, 'WITH ending AS')
    await expect.poll(() => isEmpty(url)).toBe(true)
    const whole = { what: 'audit records', source: 40_000, target: 40_000 }
    const done = await toolwire(to, environment)
    expect([done.code, JSON.parse(done.stdout).counts]).toEqual([0, expect.arrayContaining([whole])])

    const back = newDirectory()
    for (const name of ['vault.key', 'audit.key']) copyKey(directory, back, name)
    const from = copy('--from', url, '--data-dir', back)
    await killed(from, 'a.sequence > $2 ORDER BY a.sequence')
    expect(read(back, 'SELECT count(*) AS count FROM audit')).toEqual([{ count: 0 }])
    const again = await toolwire(from, environment)
    expect([again.code, JSON.parse(again.stdout).counts]).toEqual([0, expect.arrayContaining([whole])])
  })

  it('of 100,000 records takes little memory, in both directions', { timeout: 300_000 }, async () => {
    const [directory, back, url] = [newDirectory(), newDirectory(), await server.database()]
    await long(directory, 50_000)
    for (const name of ['vault.key', 'audit.key']) copyKey(directory, back, name)
    const env = { ...clean(directory), NODE_OPTIONS: '--max-old-space-size=64' }
    const copy = (...words: string[]) => toolwire(['store', 'copy', '--json', ...words], { env, cwd: directory })
    expect(await copy('--to', url, '--data-dir', directory)).toMatchObject({ code: 0, stderr: '' })
    expect(await copy('--from', url, '--data-dir', back)).toMatchObject({ code: 0, stderr: '' })
    expect(read(back, 'SELECT count(*) AS count FROM audit')).toEqual([{ count: 100_000 }])
  })
})

async function* pieces(lines: readonly string[]) {
  yield* lines
}

function copyKey(from: string, to: string, name: string): void {
  copyFileSync(join(from, name), join(to, name))
  chmodSync(join(to, name), 0o600)
}
