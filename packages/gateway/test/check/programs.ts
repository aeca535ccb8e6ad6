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
