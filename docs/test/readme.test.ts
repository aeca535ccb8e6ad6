// The files in the library section of the README work as printed, in sequence. Only the port is replaced by a free one.
import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { connect } from 'toolwire/client'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { bundle, type Snippet, snippetsIn, writeOut } from './snippets.js'

const folder = fileURLToPath(new URL('../../node_modules/.cache/snippets-readme', import.meta.url))
const files = new Map(
  snippetsIn(folder)
    .filter(({ place, code }) => place.startsWith('README.md:') && /^\s*\/\/ [\w-]+\.js\n/.test(code))
    .map((snippet) => [basename(snippet.file, '.ts'), snippet]),
)

let port: number
let programOf: (name: string) => string

beforeAll(async () => {
  port = await freePort()
  const written = [...files.values()].map((snippet): Snippet => ({ ...snippet, code: withFreePort(snippet.code) }))
  writeOut(written, folder)
  const moduleOf = await bundle(written, folder)
  programOf = (name) => moduleOf(fileOf(name))
})

const withFreePort = (text: string): string => text.replaceAll('3000', String(port))

function fileOf(name: string): Snippet {
  const found = files.get(name)
  if (!found) throw new Error(`The README has no ${name}.js`)
  return found
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port')
  return address.port
}

/** Starts a file, and returns as many lines of its output as the README shows. */
async function printedBy(name: string): Promise<string[]> {
  const child = spawn(process.execPath, [programOf(name)], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) {
    lines.push(line)
    if (lines.length === fileOf(name).prints.length) break
  }
  return lines
}

it('The README has an app, and files that test, serve and call it', () => {
  expect([...files.keys()]).toEqual(['app', 'test', 'stdio', 'http', 'call'])
})

it('test.js prints what the README says', async () => {
  expect(await printedBy('test')).toEqual(fileOf('test').prints)
})

it('http.js prints its address, and call.js the result of the call', async () => {
  expect(await printedBy('http')).toEqual(fileOf('http').prints.map(withFreePort))
  expect(await printedBy('call')).toEqual(fileOf('call').prints)
})

it('stdio.js serves the app to the process that starts it', async () => {
  await using shop = await connect({ command: process.execPath, args: [programOf('stdio')] })
  expect((await shop.call('count', { item: 'mug' })).structuredContent).toEqual({ left: 12 })
})
