// Servers as programs: other people's, and broken ones of a few lines.
import { fileURLToPath } from 'node:url'
import type { CheckTarget } from '../../src/check/index.js'

const path = (relative: string) => fileURLToPath(new URL(relative, import.meta.url))
const node = (...args: string[]): CheckTarget => ({ command: process.execPath, args })

export const ours = node(path('shop-program.mjs'))
export const sdkV1 = node(path('../offers/sdk-v1-server.mjs'))
export const sdkV2 = node(path('../offers/sdk-v2-server.mjs'))
export const everything = node(path('../../../../node_modules/@modelcontextprotocol/server-everything/dist/index.js'), 'stdio')

/** A program of one line. */
export const script = (code: string): CheckTarget => node('--input-type=module', '--eval', code)

/** Answers as `answer` says: a function of the request, in text. */
export const answering = (answer: string): CheckTarget =>
  script(`
    import { createInterface } from 'node:readline'
    const answer = ${answer}
    for await (const line of createInterface({ input: process.stdin })) {
      let request; try { request = JSON.parse(line) } catch { continue }
      const said = answer(request); if (said !== undefined) process.stdout.write(said + '\\n')
    }`)

/** Our own program, with each line that comes in changed: a function of the line, in text; see `faults/pipe.ts`. */
export const changing = (change: string): CheckTarget =>
  script(`
    import { spawn } from 'node:child_process'
    const child = spawn(process.execPath, [${JSON.stringify(path('shop-program.mjs'))}], { stdio: ['pipe', 'inherit', 'inherit'] })
    const change = ${change}
    const pass = (line) => child.stdin.write(line + '\\n', 'latin1')
    const tell = (line) => process.stdout.write(line + '\\n')
    let rest = ''
    process.stdin.setEncoding('latin1').on('data', (text) => {
      const lines = (rest + text).split('\\n')
      rest = lines.pop()
      for (const line of lines) {
        const changed = change(line, tell, pass)
        if (changed !== undefined) pass(changed)
      }
    }).on('end', () => child.stdin.end())
    child.on('exit', (code) => process.exit(code ?? 1))`)

/** Our own program, which starts after so many milliseconds. */
export const late = (ms: number): CheckTarget =>
  script(`setTimeout(() => import(${JSON.stringify(new URL('shop-program.mjs', import.meta.url).href)}), ${ms})`)
