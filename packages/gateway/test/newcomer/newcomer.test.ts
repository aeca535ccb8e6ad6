// The first five minutes of a new user, in a terminal: start, list, call, approve from a second terminal, and verify the record.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const program = join(root, 'packages/gateway/dist/toolwire.js')
const home = mkdtempSync(join(tmpdir(), 'newcomer-'))

/** A command in a terminal of its own, with its output. */
class Terminal {
  readonly child: ChildProcess
  #raw = ''

  constructor(command: string, port: number) {
    const { PATH, NODE_PATH = '' } = process.env
    const env = { PATH, NODE_PATH, HOME: home, TERM: 'xterm', TOOLWIRE_PORT: String(port), TOOLWIRE_DATA_DIR: join(home, 'data') }
    const url = { TOOLWIRE_URL: `http://127.0.0.1:${port}` }
    // `script` provides a terminal for input and output.
    this.child = spawn('script', ['-qec', command, '/dev/null'], { cwd: root, env: { ...env, ...url }, detached: true })
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => {
        this.#raw += chunk.toString()
      })
  }

  get shown(): string {
    return stripVTControlCharacters(this.#raw)
  }

  async shows(wanted: RegExp, ms = 60_000): Promise<RegExpExecArray> {
    const until = Date.now() + ms
    for (;;) {
      const found = wanted.exec(this.shown)
      if (found) return found
      if (Date.now() > until) throw new Error(`${wanted} was not shown, but:\n${this.shown}`)
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  types(text: string): void {
    this.child.stdin?.write(text)
  }

  get ended(): Promise<number | null> {
    const { exitCode } = this.child
    return exitCode === null ? new Promise((resolve) => this.child.once('exit', resolve)) : Promise.resolve(exitCode)
  }

  end(): void {
    if (this.child.exitCode === null && this.child.pid !== undefined) process.kill(-this.child.pid, 'SIGTERM')
  }
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })

describe.sequential('a new user', () => {
  const open: Terminal[] = []
  let port: number
  const at = (command: string) => {
    const terminal = new Terminal(command, port)
    open.push(terminal)
    return terminal
  }
  const toolwire = (args: string) => at(`node ${program} ${args}`)

  beforeAll(async () => {
    expect(spawnSync('script', ['--version']).status, 'this test needs `script`, which comes with Debian').toBe(0)
    port = await freePort()
  })
  afterAll(async () => {
    for (const terminal of open) terminal.end()
    await open[0]?.ended
    rmSync(home, { recursive: true, force: true })
  })

  it('starts the gateway with one command, and sees its address', async () => {
    await at('npm start').shows(new RegExp(`http://127\\.0\\.0\\.1:${port}/mcp`), 60_000)
  })

  it('UX-002 sees the available tools', async () => {
    const terminal = toolwire('list')
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown).toMatch(/shop__search/)
    expect(terminal.shown).toMatch(/shop__restock/)
  })

  it('calls a read-only tool, and sees the result', async () => {
    const terminal = toolwire('call shop__search query=mug')
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown).toMatch(/"id": "mug"/)
  })

  it('UX-001 UX-004 SECC-002 sees the planned change, approves it from a second terminal, and it is made', async () => {
    const calling = toolwire('call shop__restock --yes')
    const pending = await waitFor(() => toolwire('pending'), /([0-9a-f]{8}-[0-9a-f-]{27})\s[\s\S]*shop__restock/)
    const approving = toolwire(`approve ${pending[1]}`)
    expect(await approving.ended).toBe(0)
    expect(approving.shown).toMatch(/shop__restock/)
    await calling.shows(/Restocked 3 items/)
    expect(await calling.ended).toBe(0)
  })

  it('UX-001 denies the next one, and it is not made', async () => {
    const calling = toolwire('call shop__restock --yes')
    const pending = await waitFor(() => toolwire('pending'), /([0-9a-f]{8}-[0-9a-f-]{27})\s[\s\S]*shop__restock/)
    expect(await toolwire(`deny ${pending[1]} not today`).ended).toBe(0)
    await calling.shows(/not today/)
    expect(await calling.ended).not.toBe(0)
  })

  it('verifies that the record is unchanged', async () => {
    const terminal = toolwire('audit verify')
    expect(await terminal.ended).toBe(0)
    expect(terminal.shown).toMatch(/The log is intact: \d+ records/)
  })

  async function waitFor(run: () => Terminal, wanted: RegExp): Promise<RegExpExecArray> {
    for (const until = Date.now() + 60_000; ; ) {
      const terminal = run()
      await terminal.ended
      const found = wanted.exec(terminal.shown)
      if (found) return found
      if (Date.now() > until) throw new Error(`${wanted} was not shown, but:\n${terminal.shown}`)
    }
  }
})
