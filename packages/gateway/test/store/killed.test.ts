import { type AuditHead, auditLine, verifyAudit } from 'toolwire/guard'
import { expect, it } from 'vitest'
import { howMany } from '../../../toolwire/test/soak.js'
import { openStore } from '../../src/store/open-store.js'
import { start } from '../programs/child-processes.js'
import { builtWorker } from '../support/build-program.js'
import { intentOf, newDirectory } from '../support/stores.js'

const times = howMany(4, 200)

/** The acknowledgements in the output of the program. */
function acknowledgedIn(lines: readonly string[]) {
  const of = (word: string) =>
    new Set(lines.flatMap((line) => (line.startsWith(`${word} `) ? [line.slice(word.length + 1)] : [])))
  return { safe: of('safe'), decided: of('decided'), released: of('released'), added: of('added') }
}

it(`no acknowledged write is lost in ${times} kills, and no approval is decided or used twice`, async () => {
  const directory = newDirectory()
  let from: AuditHead | undefined
  for (let time = 0; time < times; time++) {
    const child = await start('busy.program.ts', directory)
    await child.untilLine(/^released/)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60))
    child.process.kill('SIGKILL')
    await child.ended
    const acknowledged = acknowledgedIn(child.lines)
    const store = await openStore(directory, { worker: await builtWorker() })
    const after = from?.sequence ?? 0
    const entries = []
    for await (const page of store.audit.follow(after, AbortSignal.timeout(120_000))) {
      entries.push(...page)
      if (page.at(-1)?.sequence === store.audit.head?.sequence) break
    }
    const kept = new Set(entries.map(({ text }) => JSON.parse(text)).map(({ id, kind }) => `${id} ${kind}`))
    expect([...acknowledged.safe].filter((one) => !kept.has(one))).toEqual([])
    expect(await verifyAudit(entries.map(auditLine), { from, head: store.audit.head })).toMatchObject({ ok: true })
    for (const id of acknowledged.added) {
      const again = await store.approvals.decide(id, 'deny')
      if (acknowledged.decided.has(id)) expect(again).toBe(false)
      const used = await store.approvals.release(id, `digest of ${id}`)
      if (acknowledged.released.has(id)) expect(used).toBe(false)
      expect(await store.approvals.release(id, `digest of ${id}`)).toBe(false)
    }
    await store.audit.append(intentOf(time))
    from = store.audit.head
    await store.close()
  }
  const store = await openStore(directory, { worker: await builtWorker() })
  expect(await store.audit.verify()).toMatchObject({ ok: true, entries: from?.sequence })
  await store.close()
}, 600_000)
