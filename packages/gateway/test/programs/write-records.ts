import { writeSync } from 'node:fs'
import type { Store } from '../../src/store/store.js'

export const say = (...words: readonly (string | number)[]) => void writeSync(1, `${words.join(' ')}\n`)

/** Writes records as fast as it can, and prints the acknowledged ones. */
export async function writeRecords({ audit }: Store, lane: number, afterCall?: () => void): Promise<never> {
  for (let n = 0; ; n++) {
    const about = { id: `${process.pid}-${lane}-${n}`, server: 'mail', tool: 'send', definitionHash: 'sha256:0', caller: 'eve' }
    await audit.append({ kind: 'intent', ...about, at: Date.now(), arguments: {} })
    say('safe', about.id, 'intent')
    await audit.append({ kind: 'outcome', ...about, at: Date.now(), durationMs: 1, decision: 'allowed', outcome: 'ok' })
    say('safe', about.id, 'outcome')
    afterCall?.()
  }
}
