// A gateway that sends the heads of its log to a witness, and the commands `toolwire audit witness` and `verify --witness`.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseWitnessLocation } from '../../src/config/witness-location.js'
import type { SignedHead } from '../../src/store/audit/signed-head.js'
import { readHeads } from '../../src/store/witness/read-heads.js'
import { writeHead } from '../../src/store/witness/write-head.js'
import { itWhere, smallDisks } from '../support/requirements.js'
import { toolwire } from '../support/run-program.js'
import { ask, folder, started, storeIn, until } from '../support/running-gateway.js'
import { remount, smallDisk } from '../support/small-disk.js'
import { aHead } from '../support/stores.js'
import { tamper } from '../support/tampered-log.js'

const linesOf = (path: string): SignedHead[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as SignedHead)
    : []

function pathOf(place: string, name: string, make: (path: string) => unknown): string {
  const path = join(place, name)
  make(path)
  return path
}

/** A server that stores the posted heads and serves them. */
async function headServer(answer: { status?: number; location?: string; isSilent?: boolean } = {}) {
  const kept: string[] = []
  const server = createServer(async (req, res) => {
    if (req.method === 'GET') return void res.end(kept.map((line) => `${line}\n`).join(''))
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk as Buffer)
    if (!answer.status) kept.push(Buffer.concat(chunks).toString())
    if (answer.isSilent) return
    res.writeHead(answer.status ?? 204, answer.location ? { location: answer.location } : {}).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads`, kept }
}

describe('a witness', () => {
  it('can be a file that grows by a line, with mode 600, even if its last line was incomplete', async () => {
    const path = join(folder(), 'heads')
    const head = await aHead()
    const place = parseWitnessLocation(path, '/', '/')
    await writeHead(head, place)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    writeFileSync(path, '{"sequence":1', { flag: 'a' })
    await writeHead(head, place)
    expect(readFileSync(path, 'utf8').split('\n').length).toBe(4)
    expect(await readHeads(place)).toEqual({ heads: [head, head], incomplete: 1 })
  })

  it.each([
    ['/dev/zero', () => '/dev/zero'],
    ['a FIFO', (place: string) => pathOf(place, 'fifo', (path) => execFileSync('mkfifo', [path]))],
    ['a folder', (place: string) => place],
    ['a link', (place: string) => pathOf(place, 'link', (path) => symlinkSync('/dev/null', path))],
    ['in a missing folder', (place: string) => join(place, 'no', 'such', 'folder')],
  ])('cannot be %s, which is an error at once', async (_, make) => {
    const path = make(folder())
    await expect(writeHead(await aHead(), { kind: 'file', path })).rejects.toThrow(`The witness ${path}`)
    await expect(readHeads({ kind: 'file', path })).rejects.toThrow()
  })

  it.each([
    'http://example.com/x',
    'ftp://example.com/x',
    'file:///tmp/x',
    'http://127.0.0.1.example.com/',
  ])('cannot be at %s, because others could change the heads on the way', (address) =>
    expect(() => parseWitnessLocation(address, '/', '/')).toThrow('a witness must be a file, an https:// address'))

  it('does not receive heads through a redirect, and a refusal is an error', async () => {
    const other = await headServer()
    const leading = await headServer({ status: 307, location: other.url })
    const refusing = await headServer({ status: 403 })
    const head = await aHead()
    await expect(writeHead(head, parseWitnessLocation(leading.url, '/', '/'))).rejects.toThrow('cannot be reached')
    await expect(writeHead(head, parseWitnessLocation(refusing.url, '/', '/'))).rejects.toThrow('HTTP 403')
    expect(other.kept).toEqual([])
  })

  it('is not written through a symbolic link', async () => {
    const place = folder()
    const file = pathOf(place, 'file', (path) => writeFileSync(path, 'as it was'))
    const path = pathOf(place, 'link', (path) => symlinkSync(file, path))
    await expect(writeHead(await aHead(), { kind: 'file', path })).rejects.toThrow('cannot be written')
    expect(readFileSync(file, 'utf8')).toBe('as it was')
  })

  it('has a signed head in each line, and empty lines are skipped', async () => {
    const path = join(folder(), 'heads')
    const head = await aHead()
    const line = JSON.stringify(head)
    writeFileSync(path, `\n${line}\r\n  \n${line}${' '.repeat(2_048 - line.length)}\n`)
    expect(await readHeads({ kind: 'file', path })).toEqual({ heads: [head, head], incomplete: 0 })
  })

  it.each([
    ['that is not an object', () => '1'],
    ['longer than a head can be', (head: SignedHead) => `${JSON.stringify(head)}${' '.repeat(2_048)}`],
    ['without a hash', (head: SignedHead) => JSON.stringify({ ...head, hash: 1 })],
    ['without a signature', (head: SignedHead) => JSON.stringify({ ...head, signature: null })],
    ['with an invalid key', (head: SignedHead) => JSON.stringify({ ...head, key: head.key.slice(1) })],
    ['with an invalid record number', (head: SignedHead) => JSON.stringify({ ...head, sequence: 1.5 })],
    ['with a record before the first', (head: SignedHead) => JSON.stringify({ ...head, sequence: 0 })],
    ['without a time', (head: SignedHead) => JSON.stringify({ ...head, at: '1' })],
  ])('with a line %s is invalid, and the line is named', async (_, make) => {
    const path = join(folder(), 'heads')
    const head = await aHead()
    writeFileSync(path, `${JSON.stringify(head)}\n\n${make(head)}\n`)
    expect(await readHeads({ kind: 'file', path })).toEqual({ line: 3 })
  })

  itWhere('a disk of a few kilobytes', smallDisks)('keeps whole lines alone, though its disk is full', async () => {
    const disk = smallDisk('size=4k') ?? ''
    const place = parseWitnessLocation(join(disk, 'heads'), '/', '/')
    const head = await aHead()
    let written = 0
    await expect(async () => {
      for (; written < 100; written++) await writeHead(head, place)
    }).rejects.toThrow(`The witness ${join(disk, 'heads')} cannot be written: its disk is full`)
    expect(readFileSync(join(disk, 'heads'), 'utf8')).toBe(`${JSON.stringify(head)}\n`.repeat(written))
    remount(disk, 'size=8k')
    await writeHead(head, place)
    expect(linesOf(join(disk, 'heads'))).toHaveLength(written + 1)
  })

  it('is not read through a redirect, and a refusal is an error', async () => {
    const [path, head] = [join(folder(), 'heads'), await aHead()]
    writeFileSync(path, JSON.stringify(head))
    const served = async (status: number, headers = {}) => {
      const server = createServer((_, res) => void res.writeHead(status, headers).end(`${JSON.stringify(head)}\n`))
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void server.close())
      return { kind: 'url', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/heads` } as const
    }
    const good = await served(200)
    expect(await readHeads(good)).toEqual({ heads: [head], incomplete: 0 })
    await expect(readHeads(await served(404))).rejects.toThrow('HTTP 404')
    await expect(readHeads(await served(302, { location: good.url }))).rejects.toThrow()
  })

  it('that hangs is abandoned when the caller aborts', async () => {
    const { url, kept } = await headServer({ isSilent: true })
    const stop = new AbortController()
    const sent = writeHead(await aHead(), parseWitnessLocation(url, '/', '/'), stop.signal)
    const failed = expect(sent).rejects.toThrow('cannot be reached')
    await until(() => kept.length === 1)
    stop.abort()
    await failed
  })
})

describe('a gateway with a witness', () => {
  it('sends it heads at the start, on an interval, and at the end; the log contains each of them', async () => {
    const [dataDir, path] = [join(folder(), 'data'), join(folder(), 'heads')]
    const gateway = await started({ dataDir, witness: { to: path, everyMs: 50 } })
    await ask(gateway, '/keys', { body: { caller: 'one' } })
    await until(() => linesOf(path).some(({ sequence }) => sequence >= 2))
    await ask(gateway, '/keys', { body: { caller: 'two' } })
    await gateway.close()
    const store = await storeIn(dataDir)
    const heads = linesOf(path)
    expect(heads.at(-1)).toMatchObject(store.audit.head ?? {})
    expect(await store.audit.checkWitnessed(heads)).toMatchObject({ ok: true, heads: heads.length })
    expect(new Set(heads.map(({ hash }) => hash)).size).toBe(heads.length)
    await store.close()
  })

  it('reports once that the witness rejects heads, and once that it accepts them again', async () => {
    const place = folder()
    const gateway = await started({ witness: { to: join(place, 'later', 'heads'), everyMs: 50 } })
    await ask(gateway, '/keys', { body: { caller: 'one' } })
    await until(() => gateway.log.some((line) => line.includes('cannot be written')))
    await ask(gateway, '/keys', { body: { caller: 'two' } })
    mkdirSync(join(place, 'later'))
    await until(() => gateway.log.includes('The witness accepts the heads of the log again'))
    expect(gateway.log.filter((line) => line.includes('cannot be written'))).toHaveLength(1)
  })
})

describe('toolwire audit', () => {
  it('witness and verify --witness: a truncated or rewritten log is reported, with exit code 1', async () => {
    const [dataDir, place] = [join(folder(), 'data'), folder()]
    const { url, kept } = await headServer()
    const first = await started({ dataDir })
    const env = (port: number) => ({
      PATH: process.env.PATH,
      HOME: place,
      TOOLWIRE_DATA_DIR: dataDir,
      TOOLWIRE_URL: `http://127.0.0.1:${port}`,
    })
    const run = (port: number, ...words: string[]) => toolwire(['audit', ...words], { env: env(port), cwd: place })
    expect(await run(first.port, 'witness', 'heads')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('The log is empty'),
    })
    for (const caller of ['one', 'two']) {
      await ask(first, '/keys', { body: { caller } })
      expect(await run(first.port, 'witness', 'heads')).toMatchObject({ code: 0 })
      expect(await run(first.port, 'witness', url)).toMatchObject({ code: 0 })
    }
    expect(linesOf(join(place, 'heads')).map(({ sequence }) => sequence)).toEqual([2, 4])
    expect(kept).toHaveLength(2)
    for (const witness of ['heads', url])
      expect(await run(first.port, 'verify', '--witness', witness)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('with 2 witnessed heads'),
      })
    writeFileSync(join(place, 'log'), (await run(first.port, 'export')).stdout)
    expect(await run(9, 'verify', '--file', 'log', '--witness', 'heads')).toMatchObject({ code: 0 })
    writeFileSync(join(place, 'short'), readFileSync(join(place, 'log'), 'utf8').split('\n').slice(0, 3).join('\n').concat('\n'))
    expect(await run(9, 'verify', '--file', 'short', '--witness', 'heads')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('head 4: The log ends before head 4, which was witnessed; heads up to 2'),
    })
    expect(await run(first.port, 'verify', '--witness', 'none')).toMatchObject({ code: 2 })
    expect(await run(first.port, 'verify', '--witness', 'log')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Line 1'),
    })
    await first.close({ drainMs: 0 })

    tamper(dataDir, 'DELETE FROM audit WHERE sequence > 3')
    const again = await started({ dataDir })
    expect(await run(again.port, 'verify')).toMatchObject({ code: 0 })
    for (const witness of ['heads', url])
      expect(await run(again.port, 'verify', '--witness', witness)).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('head 4: The log ends before head 4, which was witnessed; heads up to 2'),
      })
    expect(JSON.parse((await run(again.port, 'verify', '--witness', 'heads', '--json')).stdout)).toMatchObject({
      ok: false,
      sequence: 4,
    })
  })
})
