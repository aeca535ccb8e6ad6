// Traces one tools/call over HTTP through the sources of the library, and prints the files on its path as JSON.
// usage: node trace-call.mjs FOLDER (made and removed by the test) REVISION
// Every function in a copy of the sources reports its calls and its caller. AsyncLocalStorage follows the caller across `await`.
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { transformSync } from 'esbuild'
import { parseAst } from 'rolldown/parseAst'

const [folder, revision] = process.argv.slice(2)
const source = fileURLToPath(new URL('../../../packages/toolwire/src/', import.meta.url))
const functions = []
const calls = new AsyncLocalStorage()
let traced

globalThis.trace = (at, body) => {
  const call = { ...functions[at], by: calls.getStore() }
  traced?.push(call)
  return calls.run(call, body)
}

for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.ts'))) {
  const to = join(folder, file.replace(/\.ts$/, '.js'))
  mkdirSync(dirname(to), { recursive: true })
  writeFileSync(to, tracing(readFileSync(join(source, file), 'utf8'), file.replaceAll('\\', '/')))
}

/** The same code, with every function wrapped in a call of `trace`. */
function tracing(typescript, file) {
  const { code } = transformSync(typescript, { loader: 'ts', format: 'esm', target: 'node20' })
  const insertions = []
  const visit = (node, name, isConstructor) => {
    if (Array.isArray(node)) return node.forEach((one) => void visit(one, name, isConstructor))
    if (typeof node?.type !== 'string') return undefined
    const named = node.key?.name ?? node.id?.name ?? name
    if (/Function/.test(node.type) && node.body && !node.generator) {
      const at = functions.push({ file, name: named }) - 1
      const begin = `trace(${at}, ${node.async ? 'async ' : ''}() => `
      const { start, end } = node.body
      if (node.body.type === 'BlockStatement')
        insertions.push([start + 1, `${isConstructor ? '' : 'return '}${begin}{`], [end - 1, '})'])
      else insertions.push([start, `${begin}(`], [end, '))'])
    }
    for (const [key, part] of Object.entries(node))
      if (key !== 'type') visit(part, named, node.type === 'MethodDefinition' && node.kind === 'constructor')
  }
  visit(parseAst(code), '')
  // Positions exclude the brackets around an expression, so the inserted code stays inside of them.
  return insertions.toSorted(([a], [b]) => b - a).reduce((text, [at, added]) => text.slice(0, at) + added + text.slice(at), code)
}

const load = (file) => import(pathToFileURL(join(folder, file)).href)
const { jsonSchema, server, tool } = await load('index.js')
const { listen } = await load('node.js')

let handling
const add = tool({
  description: 'Adds two numbers',
  input: jsonSchema({ type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] }),
  run: ({ a, b }) => {
    handling = calls.getStore()
    return String(a + b)
  },
})
const { url, close } = await listen(server({ name: 'traced', version: '1.0.0', tools: { add } }), { port: 0, signals: false })

const meta = 'io.modelcontextprotocol/'
const clientInfo = { name: 'tracer', version: '1.0.0' }
const isPerRequest = revision === '2026-07-28'
const said = { [`${meta}protocolVersion`]: revision, [`${meta}clientInfo`]: clientInfo, [`${meta}clientCapabilities`]: {} }
const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
const post = (message) => fetch(url, { method: 'POST', headers, body: JSON.stringify({ jsonrpc: '2.0', ...message }) })

if (!isPerRequest) {
  const params = { protocolVersion: revision, capabilities: {}, clientInfo }
  const opened = await post({ id: 0, method: 'initialize', params })
  headers['mcp-session-id'] = opened.headers.get('mcp-session-id')
  headers['mcp-protocol-version'] = revision
  await post({ method: 'notifications/initialized' })
} else Object.assign(headers, { 'mcp-protocol-version': revision, 'mcp-method': 'tools/call', 'mcp-name': 'add' })

const ask = async (id) => {
  const params = { name: 'add', arguments: { a: 1, b: 2 }, ...(isPerRequest && { _meta: said }) }
  const answered = await (await post({ id, method: 'tools/call', params })).json()
  if (answered.result?.content?.[0]?.text !== '3') throw new Error(`The call failed: ${JSON.stringify(answered)}`)
}
// The first calls load and create things that later calls do not need.
for (const id of [1, 2, 3]) await ask(id)
traced = []
await ask(4)
const seen = new Set(traced)

/** The callers of a call, outermost first, and the call itself. */
function chain(call) {
  if (!call || !seen.has(call)) return []
  return [...chain(call.by), call]
}
const named = (file, name) => traced.find((call) => call.file.endsWith(file) && call.name === name)
const files = (open) => open.map(({ file }) => file)
const report = {
  // The body arrives by an event, outside of any call.
  down: [...files(chain(named('node-exchange.ts', 'read'))), ...files(chain(handling))],
  back: files(chain(named('node-exchange.ts', 'respond'))),
  all: [...new Set(files(traced))],
}
await close()
process.stdout.write(JSON.stringify(report), () => process.exit())
