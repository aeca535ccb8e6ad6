// Watched files are read again despite constant changes to other files of the folder, for each way of saving.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { explain, type Rulebook, watchRules } from 'toolwire/rules'
import { describe, expect, it, onTestFinished } from 'vitest'
import { watchConfig } from '../../src/config/index.js'
import { folderForEach } from './config-folder.js'

const folder = folderForEach()

/** Another process that writes, creates and deletes files until its disposal. Resolves when it has begun. */
async function changeOtherFiles(path: string): Promise<AsyncDisposable> {
  const script = `
    const { writeFileSync, rmSync } = require('node:fs')
    for (let n = 0; ; n++) {
      writeFileSync(${JSON.stringify(path)} + '/noise' + (n % 5), String(n))
      if (n % 7 === 0) rmSync(${JSON.stringify(path)} + '/noise' + (n % 5))
      if (n === 100) console.log('begun')
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2)
    }`
  const child = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'exit')
  await once(child.stdout, 'data')
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

/** The ways in which people and orchestrators replace a file. The first one also creates it. */
const saves: { readonly [way: string]: (path: string, text: string) => void } = {
  'written in place': (path, text) => writeFileSync(path, text),
  'renamed into place': (path, text) => {
    writeFileSync(`${path}.tmp`, text)
    renameSync(`${path}.tmp`, path)
  },
  'removed and made again': (path, text) => {
    rmSync(path, { force: true })
    writeFileSync(path, text)
  },
  'behind a link that is turned, as a ConfigMap is': (path, text) => {
    const data = join(path, '..', '..data')
    const name = `v${Math.random()}`
    mkdirSync(join(path, '..', name))
    writeFileSync(join(path, '..', name, 'file'), text)
    symlinkSync(name, `${data}.tmp`)
    renameSync(`${data}.tmp`, data)
    rmSync(path, { force: true })
    symlinkSync('..data/file', path)
  },
}

const rounds = ['deny', 'allow', 'deny'] as const

/** Collects the values of callbacks, and waits for the next one. */
function values<T>() {
  const all: T[] = []
  let wake = () => {}
  return {
    all,
    add(value: T) {
      all.push(value)
      wake()
    },
    async until(fits: (all: readonly T[]) => boolean) {
      while (!fits(all)) await new Promise<void>((resolve) => (wake = resolve))
    },
  }
}

describe.each(Object.keys(saves))('among constant changes of other files, a file that is %s', (way) => {
  const save = saves[way] ?? (() => undefined)

  // Polling would also find the change, so only notifications count here.
  it('has its rules applied, each once', async () => {
    const path = folder.at('rules/policy.yaml')
    mkdirSync(folder.at('rules'))
    save(path, 'default: allow\nrules: []\n')
    const books = values<Rulebook>()
    const watched = await watchRules(path, { settleMs: 300, pollMs: 3_600_000, onError: () => undefined, onChange: books.add })
    onTestFinished(() => watched.close())
    await using _ = await changeOtherFiles(folder.at('rules'))
    for (const [index, decision] of rounds.entries()) {
      save(path, `default: ${decision}\nrules: []\n`)
      await books.until(({ length }) => length > index)
      expect([books.all.length, explain(watched, { tool: 't' }).decision]).toEqual([index + 1, decision])
    }
  })

  it('has its config applied, each once', async () => {
    const path = folder.at('conf/mcp.json')
    mkdirSync(folder.at('conf'))
    const text = (id: string) => JSON.stringify({ mcpServers: { [id]: { command: 'true' } } })
    save(path, text('first'))
    const configs = values<readonly string[]>()
    const watched = await watchConfig(
      { ...folder.options({ path }), settleMs: 300, pollMs: 3_600_000 },
      ({ upstreams }) => configs.add(upstreams.map(({ id }) => id)),
      () => undefined,
    )
    onTestFinished(() => watched.close())
    await using _ = await changeOtherFiles(folder.at('conf'))
    for (const [index, id] of rounds.entries()) {
      save(path, text(`${id}${index}`))
      await configs.until(({ length }) => length > index)
    }
    expect(configs.all).toEqual([['deny0'], ['allow1'], ['deny2']])
    expect(readFileSync(path, 'utf8')).toBe(text('deny2'))
  })
})
