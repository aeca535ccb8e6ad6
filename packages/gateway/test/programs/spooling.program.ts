// Writes records as fast as it can, also while the database is away, and says which are safe and where.
import { writeSync } from 'node:fs'
import { openPostgresStore } from '../../src/store/postgres/open-postgres-store.js'

const [, , directory = ''] = process.argv
const store = await openPostgresStore(process.env.STORE ?? '', directory, { spool: true })
const say = (...words: readonly (string | number)[]) => void writeSync(1, `${words.join(' ')}\n`)

async function records(lane: number): Promise<never> {
  for (let n = 0; ; n++) {
    const about = { id: `${process.pid}-${lane}-${n}`, server: 'mail', tool: 'send', definitionHash: 'sha256:0', caller: 'eve' }
    await store.audit.append({ kind: 'intent', ...about, at: Date.now(), arguments: {} })
    say('safe', about.id, 'intent')
    await store.audit.append({ kind: 'outcome', ...about, at: Date.now(), durationMs: 1, decision: 'allowed', outcome: 'ok' })
    say('safe', about.id, 'outcome')
    say(store.spooled?.records ? 'spooling' : 'shared')
  }
}

await Promise.all(Array.from({ length: 4 }, (_, lane) => records(lane)))
