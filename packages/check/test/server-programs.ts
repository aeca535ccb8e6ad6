// Servers as programs: implementations of others, and broken ones of a few lines.
import { fileURLToPath } from 'node:url'
import type { CheckTarget } from '../src/index.js'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const node = (...args: string[]): CheckTarget => ({ command: process.execPath, args })

const shopProgram = new URL('shop-program.mjs', import.meta.url).href
export const ours = node(path('shop-program.mjs'))
export const prompting = node(path('prompts-program.mjs'))
export const sdkV1 = node(path('../../gateway/test/programs/sdk-v1-server.mjs'))
export const sdkV2 = node(path('../../gateway/test/programs/sdk-v2-server.mjs'))
export const everything = node(path('../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio')

/** A program of one line. */
export const script = (code: string): CheckTarget => node('--input-type=module', '--eval', code)

/** A server that answers with the function in `answer`, which is given as text and maps a request to a response. */
export const answering = (answer: string): CheckTarget =>
  script(`
    import { createInterface } from 'node:readline'
    const answer = ${answer}
    for await (const line of createInterface({ input: process.stdin })) {
      let request; try { request = JSON.parse(line) } catch { continue }
      const reply = answer(request); if (reply !== undefined) process.stdout.write(reply + '\\n')
    }`)

/** Our own program, with each input line changed by a function given as text; see `faults/pipe.ts`. */
export const changing = (change: string): CheckTarget =>
  script(`
    import { PassThrough } from 'node:stream'
    const { stdin, stdout } = process
    // The server redirects everything but its own messages away from stdout.
    const write = stdout.write.bind(stdout)
    const lines = new PassThrough()
    Object.defineProperty(process, 'stdin', { value: lines })
    void import(${JSON.stringify(shopProgram)})
    const change = ${change}
    const pass = (line) => lines.write(line + '\\n', 'latin1')
    const tell = (line) => write(line + '\\n')
    let rest = ''
    stdin.setEncoding('latin1').on('data', (text) => {
      const whole = (rest + text).split('\\n')
      rest = whole.pop()
      for (const line of whole) {
        const changed = change(line, tell, pass)
        if (changed !== undefined) pass(changed)
      }
    }).on('end', () => lines.end())`)

/** A server whose tool ignores cancellation: it reports progress during the next call, and is answered after that call. */
export const lingering = script(`
  import { createInterface } from 'node:readline'
  const tell = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n')
  const report = (progressToken, progress) => tell({ method: 'notifications/progress', params: { progressToken, progress } })
  const about = { capabilities: { tools: {} }, serverInfo: { name: 'lingering', version: '1' } }
  const tools = [{ name: 'long', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }]
  let first
  for await (const line of createInterface({ input: process.stdin })) {
    const { id, method, params } = JSON.parse(line)
    const token = params?._meta?.progressToken
    if (method === 'initialize') tell({ id, result: { protocolVersion: params.protocolVersion, ...about } })
    if (method === 'tools/list') tell({ id, result: { tools } })
    if (method === 'tools/call' && token !== undefined) {
      first = { id, token }
      report(token, 1)
    } else if (method === 'tools/call') {
      report(first.token, 2)
      tell({ id, result: { content: [] } })
    }
    if (method === 'notifications/cancelled' && first) tell({ id: first.id, result: { content: [] } })
    if (method === 'notifications/cancelled') first = undefined
  }`)

/** Our own program, which starts after a delay. */
export const late = (ms: number): CheckTarget => script(`setTimeout(() => import(${JSON.stringify(shopProgram)}), ${ms})`)
