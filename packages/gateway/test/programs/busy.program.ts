// Writes records, and approves, as fast as it can, and says what it was told is safe.
import { writeSync } from 'node:fs'
import { openStore } from '../../src/store/open-store.js'
import { asked } from '../support/approval-requests.js'

const [, , directory = '', worker = ''] = process.argv
const began = performance.now()
const store = await openStore(directory, { worker: new URL(worker) })
const say = (...words: readonly (string | number)[]) => void writeSync(1, `${words.join(' ')}\n`)
say('ready', Math.round(performance.now() - began))

async function records(lane: number): Promise<never> {
  for (let n = 0; ; n++) {
    const about = { id: `${process.pid}-${lane}-${n}`, server: 'mail', tool: 'send', definitionHash: 'sha256:0', caller: 'eve' }
    await store.audit.append({ kind: 'intent', ...about, at: Date.now(), arguments: {} })
    say('safe', about.id, 'intent')
    await store.audit.append({ kind: 'outcome', ...about, at: Date.now(), durationMs: 1, decision: 'allowed', outcome: 'ok' })
    say('safe', about.id, 'outcome')
  }
}

async function approvals(): Promise<never> {
  for (;;) {
    const one = asked({ held: false, caller: `${process.pid}` })
    await store.approvals.add(one, 100)
    say('added', one.id)
    if (await store.approvals.decide(one.id, 'allow')) say('decided', one.id)
    if (await store.approvals.release(one.id, one.digest)) say('released', one.id)
  }
}

await Promise.all([approvals(), ...Array.from({ length: 8 }, (_, lane) => records(lane))])
