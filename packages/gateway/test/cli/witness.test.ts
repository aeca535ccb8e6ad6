// Output and exit codes of `toolwire audit witness` and `verify --witness`.
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonObject } from 'toolwire'
import { describe, expect, it } from 'vitest'
import type { ApiClient } from '../../src/cli/api/api-client.js'
import { checkAtGateway, checkExport, firstFault, readWitness } from '../../src/cli/audit/check-witness.js'
import { run as runVerify } from '../../src/cli/audit/verify.js'
import { run as runWitness } from '../../src/cli/audit/witness.js'
import type { RunCommand } from '../../src/cli/command.js'
import { painter, type Terminal } from '../../src/cli/terminal/terminal.js'
import type { SignedHead } from '../../src/store/audit/signed-head.js'
import { ask, folder, started, until } from '../support/running-gateway.js'
import { aHead, append, intentOf, newStore, outcomeOf } from '../support/stores.js'
import { tamper } from '../support/tampered-log.js'

/** Runs a command in this process, in a folder of its own, with or without a gateway. */
function commandLine(gateway?: { readonly port: number; readonly config: { readonly dataDir: string } }) {
  const cwd = folder()
  const printed: string[] = []
  const messages: string[] = []
  const stop = new AbortController()
  const env = {
    TOOLWIRE_URL: `http://127.0.0.1:${gateway?.port ?? 9}`,
    TOOLWIRE_DATA_DIR: gateway?.config.dataDir ?? cwd,
    HOME: cwd,
  }
  const run = (command: RunCommand, operands: readonly string[], options: { readonly [name: string]: unknown } = {}) => {
    const terminal: Terminal = {
      ...{ json: options.json === true, quiet: false, interactive: false, width: undefined, paint: painter(false) },
      ...{ print: (text) => void printed.push(text), printJson: (value) => void printed.push(JSON.stringify(value)) },
      ...{ say: (text) => void messages.push(text), fail: () => undefined },
    }
    return command({ operands, options, command: [], env, cwd, signal: stop.signal }, terminal)
  }
  return { cwd, printed, messages, stop, run }
}

const linesOf = (path: string): string[] => (existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean) : [])
const sequencesIn = (path: string) => linesOf(path).map((line) => (JSON.parse(line) as SignedHead).sequence)
const addKey = (gateway: { readonly port: number }, caller: string) => ask(gateway, '/keys', { body: { caller } })

describe('toolwire audit witness', () => {
  it('reports which record the witness now has, for people and for programs', async () => {
    const gateway = await started()
    await addKey(gateway, 'one')
    const { cwd, printed, run } = commandLine(gateway)
    await run(runWitness, ['heads'])
    await run(runWitness, ['heads'], { json: true })
    const [first, second] = linesOf(join(cwd, 'heads')).map((line) => JSON.parse(line) as SignedHead)
    expect(printed).toEqual([
      `The witness now has head 2 of the log: 2:${first?.hash}`,
      JSON.stringify({ sequence: 2, hash: second?.hash }),
    ])
  })

  it('--every waits for the first head of an empty log, copies each head once, and ends when it is stopped', async () => {
    const gateway = await started()
    const { cwd, stop, printed, messages, run } = commandLine(gateway)
    const running = run(runWitness, ['heads'], { every: '1s' })
    const ended = expect(running).resolves.toBeUndefined()
    await addKey(gateway, 'one')
    await until(() => sequencesIn(join(cwd, 'heads')).length === 1)
    await addKey(gateway, 'two')
    await until(() => sequencesIn(join(cwd, 'heads')).length === 2)
    stop.abort()
    await ended
    expect(sequencesIn(join(cwd, 'heads'))).toEqual([2, 4])
    expect(printed).toHaveLength(2)
    expect(messages).toEqual([])
  })

  it('--every reports errors and continues, unlike a single run', async () => {
    const gateway = await started()
    await addKey(gateway, 'one')
    const { stop, messages, run } = commandLine(gateway)
    await expect(run(runWitness, ['no/such/folder'])).rejects.toMatchObject({ exitCode: 1 })
    await expect(run(runWitness, ['http://127.0.0.1:9/heads'])).rejects.toMatchObject({ exitCode: 4 })
    const running = run(runWitness, ['no/such/folder'], { every: '1s' })
    const ended = expect(running).resolves.toBeUndefined()
    await until(() => messages.length === 2)
    stop.abort()
    await ended
    expect(messages[0]).toContain('cannot be written')
  })

  it('--every ends if it is refused without a credential', async () => {
    const gateway = await started()
    const { run } = commandLine({ port: gateway.port, config: { dataDir: folder() } })
    await expect(run(runWitness, ['heads'], { every: '1s' })).rejects.toMatchObject({ exitCode: 3 })
  })

  it.each([
    [['ftp://example.com/heads'], {}],
    [['heads'], { every: 'often' }],
  ])('%j with %j is a usage error', async (operands, options) =>
    expect(commandLine().run(runWitness, operands, options)).rejects.toMatchObject({ exitCode: 2 }))
})

describe('toolwire audit verify --witness', () => {
  it('reports the number of found heads, and a file without heads is a usage error', async () => {
    const gateway = await started()
    const { cwd, printed, run } = commandLine(gateway)
    for (const caller of ['one', 'two']) {
      await addKey(gateway, caller)
      await run(runWitness, ['heads'])
    }
    printed.length = 0
    expect(await run(runVerify, [], { witness: 'heads' })).toBe(0)
    expect(printed[0]).toContain('4 records, with 2 witnessed heads\n')
    expect(await run(runVerify, [], { witness: 'heads', json: true })).toBe(0)
    expect(JSON.parse(printed[1] ?? '')).toMatchObject({ ok: true, witnessed: { ok: true, heads: 2, dropped: 0 } })
    writeFileSync(join(cwd, 'heads'), '{"sequence":6,"ha\n', { flag: 'a' })
    expect(await run(runVerify, [], { witness: 'heads' })).toBe(0)
    expect(printed[2]).toContain('with 2 witnessed heads\nSkipped 1 incomplete line of the witness: ')
    expect(await run(runVerify, [], { witness: 'heads', json: true })).toBe(0)
    expect(JSON.parse(printed[3] ?? '')).toMatchObject({ ok: true, witnessed: { ok: true, heads: 2, incomplete: 1 } })
    writeFileSync(join(cwd, 'empty'), '\n\n')
    for (const options of [{ witness: 'empty' }, { witness: 'none' }, { witness: 'heads', file: '-' }])
      await expect(run(runVerify, [], options)).rejects.toMatchObject({ exitCode: 2 })
    appendFileSync(join(cwd, 'heads'), `${JSON.stringify({ ...(await aHead()), sequence: 3 })}\n`)
    expect(await run(runVerify, [], { witness: 'heads' })).toBe(1)
    expect(printed.at(-1)).toMatch(/^The log was altered: head 3: Head 3 of the witness is without a valid signature/)
  })

  it('reports for how many heads retention has removed the records', async () => {
    const gateway = await started()
    const { printed, run } = commandLine(gateway)
    for (const caller of ['one', 'two', 'three']) {
      await addKey(gateway, caller)
      await run(runWitness, ['heads'])
    }
    await gateway.control.store.audit.retain({ records: 1 })
    printed.length = 0
    expect(await run(runVerify, [], { witness: 'heads' })).toBe(0)
    expect(printed[0]).toMatch(
      /, with 1 witnessed heads; 2 more cover records that were removed by retention, or moved to audit-until-N\.ndjson by a copy from PostgreSQL\n/,
    )
  })
})

describe('toolwire audit verify after retention', () => {
  const why = 'The log begins after head 2, so this head cannot be checked. Use a newer head'

  it('finds no tampering, and names the head that cannot be checked any more', async () => {
    const gateway = await started()
    const { cwd, printed, run } = commandLine(gateway)
    for (const caller of ['one', 'two', 'three']) {
      await addKey(gateway, caller)
      await run(runWitness, ['heads'])
    }
    const { audit } = gateway.control.store
    await audit.retain({ records: 2 })
    const [two, four, six] = linesOf(join(cwd, 'heads')).map((line) => {
      const { sequence, hash } = JSON.parse(line) as SignedHead
      return `${sequence}:${hash}`
    })
    const pieces: string[] = []
    for await (const piece of audit.export('ndjson')) pieces.push(piece)
    writeFileSync(join(cwd, 'log'), pieces.join(''))
    const seeAll = async (where: { readonly [option: string]: string }) => {
      for (const head of [four, six]) expect(await run(runVerify, [], { ...where, head })).toBe(0)
      const rewritten = `4:${'0'.repeat(64)}`
      expect(await run(runVerify, [], { ...where, head: rewritten })).toBe(1)
      expect(printed.at(-1)).toContain('The log was altered')
      expect(await run(runVerify, [], { ...where, head: two })).toBe(1)
      expect(printed.at(-1)).toBe(`The head was not checked: ${why}`)
      expect(await run(runVerify, [], { ...where, head: two, json: true })).toBe(1)
      expect(JSON.parse(printed.at(-1) ?? '')).toMatchObject({ ok: false, sequence: 2, dropped: true, why })
    }
    await seeAll({})
    await seeAll({ file: 'log' })
    expect(await run(runVerify, [], { file: 'log', witness: 'heads' })).toBe(0)
    expect(printed.at(-1)).toMatch(/^The log is intact: 2 records, with 2 witnessed heads; 1 more cover records/)
    expect(printed.at(-1)).toContain(
      `Begins after head 4, says the gateway with the key ${audit.publicKey}; earlier records were removed by retention, or moved`,
    )
    await gateway.close({ drainMs: 0, delayMs: 0 })
    await seeAll({ dataDir: gateway.config.dataDir })
    expect(await run(runVerify, [], { file: 'log', head: two, witness: 'heads' })).toBe(1)
    expect(printed.at(-1)).toBe(`The head was not checked: ${why}`)
    const [mark, five] = pieces.join('').split('\n')
    writeFileSync(join(cwd, 'short'), `${mark}\n${five}\n`)
    tamper(gateway.config.dataDir, 'DELETE FROM audit WHERE sequence > 5')
    for (const where of [{ file: 'short' }, { dataDir: gateway.config.dataDir }]) {
      expect(await run(runVerify, [], { ...where, head: two, witness: 'heads' })).toBe(1)
      expect(printed.at(-1)).toContain('The log ends before head 6, which was witnessed; heads up to 4 match')
    }
    writeFileSync(join(cwd, 'altered'), pieces.join('').replace('"sequence":5', '"sequence":7'))
    expect(await run(runVerify, [], { file: 'altered', witness: 'heads' })).toBe(1)
    expect(printed.at(-1)).toMatch(/^The log was altered: line 2, record 5:/)
  })

  it('does not accept the retention mark of another gateway', async () => {
    const store = await newStore()
    await append(store, intentOf(1), outcomeOf(1))
    const [head, stranger] = [store.audit.signHead(), await aHead()]
    if (!head) throw new Error('There is a record')
    const path = join(folder(), 'log')
    writeFileSync(path, '')
    expect(await checkExport(path, [head], { from: { ...stranger, sequence: 2, hash: head.hash } })).toMatchObject({
      ...{ ok: false, why: expect.stringContaining('signed with another key') },
    })
  })
})

describe('toolwire audit verify', () => {
  it('verifies one log, and does not choose among several', async () => {
    const { run } = commandLine()
    const [file, dataDir, gateway] = ['log', 'data', 'http://127.0.0.1:9']
    for (const several of [
      { file, dataDir },
      { dataDir, gateway },
      { file, gateway },
    ])
      await expect(run(runVerify, [], several)).rejects.toMatchObject({
        exitCode: 2,
        message: expect.stringContaining('Choose one'),
      })
  })
})

describe('the heads of a witness', () => {
  it('are checked in the order of the log', async () => {
    const head = await aHead()
    const cwd = folder()
    writeFileSync(join(cwd, 'heads'), [3, 1, 2].map((sequence) => `${JSON.stringify({ ...head, sequence })}\n`).join(''))
    expect((await readWitness('heads', { cwd })).heads.map(({ sequence }) => sequence)).toEqual([1, 2, 3])
  })

  it('are sent to the gateway in batches of thousands, until one shows a fault', async () => {
    const head = await aHead()
    const heads = Array.from({ length: 2_500 }, (_, at) => ({ ...head, sequence: at + 1 }))
    const asked: number[][] = []
    const api = (answer: (sequences: number[]) => JsonObject) =>
      ({
        request: async (_: string, { body }: { body: { heads: SignedHead[] } }) => {
          asked.push(body.heads.map(({ sequence }) => sequence))
          return answer(asked.at(-1) ?? [])
        },
      }) as unknown as ApiClient // only these members are used
    expect(
      await checkAtGateway(
        api(({ length }) => ({ ok: true, heads: length, dropped: 3 })),
        heads,
      ),
    ).toEqual({
      ...{ ok: true, heads: 2_500, dropped: 9 },
    })
    expect(asked.map(({ length }) => length)).toEqual([1_000, 1_000, 500])
    expect(asked.flat()).toEqual(heads.map(({ sequence }) => sequence))
    const fault = { ok: false, sequence: 1_500, why: 'another one' }
    expect(
      await checkAtGateway(
        api((some) => (some.includes(1_500) ? fault : { ok: true })),
        heads,
      ),
    ).toEqual(fault)
    expect(asked).toHaveLength(5)
  })

  it('are compared with the first record of that number in a file, whatever else it contains', async () => {
    const store = await newStore()
    await append(store, intentOf(1), outcomeOf(1))
    const head = store.audit.signHead()
    if (!head) throw new Error('There is a record')
    let text = ''
    for await (const piece of store.audit.export('ndjson')) text += piece
    const path = join(folder(), 'log')
    const lines = text.trimEnd().split('\n')
    writeFileSync(path, ['{"other":1}', ...lines, lines[1]?.replace(head.hash, '0'.repeat(64))].join('\n'))
    expect(await checkExport(path, [head], {})).toEqual({ ok: true, heads: 1, dropped: 0 })
    writeFileSync(path, ['{"other":1}', lines[0], lines[1]?.replace(head.hash, '0'.repeat(64)), lines[1]].join('\n'))
    expect(await checkExport(path, [head], {})).toMatchObject({ ok: false, sequence: 2 })
  })
})

describe('with a fault in the log and one that the witness shows', () => {
  const fault = (sequence: number, why: string) => ({ ok: false, sequence, why })
  const ofHead = (sequence: number) => ({ ...fault(sequence, 'its'), of: 'head' })
  const whole = { ok: true, entries: 3 }

  it.each([
    ['no fault', whole, { ok: true, heads: 1 }, { ...whole, witnessed: { ok: true, heads: 1 } }],
    ['the only fault, which the witness shows,', whole, fault(2, 'its'), ofHead(2)],
    ['the only fault, which is in the log,', fault(2, 'own'), { ok: true, heads: 1 }, fault(2, 'own')],
    ['the earlier fault, which is in the log,', fault(2, 'own'), fault(3, 'its'), fault(2, 'own')],
    ['the earlier fault, which the witness shows,', fault(4, 'own'), fault(3, 'its'), ofHead(3)],
    [
      'the fault that the witness shows, next to a dropped head,',
      { ...fault(2, 'own'), dropped: true },
      fault(3, 'its'),
      ofHead(3),
    ],
    ['the dropped head', { ...fault(2, 'own'), dropped: true }, whole, { ...fault(2, 'own'), dropped: true }],
    ['the fault that the witness shows, next to an empty log,', { ...fault(1, 'own'), empty: true }, fault(3, 'its'), ofHead(3)],
    ['the fault in the log, if both are at the same record,', fault(3, 'own'), fault(3, 'its'), fault(3, 'own')],
  ])('%s is named', (_, log, witnessed, named) => expect(firstFault(log, witnessed)).toEqual(named))
})
