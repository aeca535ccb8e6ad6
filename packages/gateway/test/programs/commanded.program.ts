// Executes commands from stdin: `append` a record, print its `trouble`, `verify`, or `close`.
import { createInterface } from 'node:readline'
import { openStore } from '../../src/store/open-store.js'

const [, , directory = '', worker = ''] = process.argv
const message = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown))

try {
  const store = await openStore(directory, { worker: new URL(worker) })
  console.log('ready')
  let n = 0
  const record = () => ({
    ...{ kind: 'intent' as const, id: `${process.pid}-${++n}`, at: Date.now(), server: 'mail', tool: 'send', caller: 'eve' },
    ...{ definitionHash: 'sha256:0', arguments: { text: 'x'.repeat(20_000) } },
  })
  for await (const line of createInterface(process.stdin)) {
    if (line === 'append') await append()
    if (line === 'fill') while (await append());
    if (line === 'trouble') console.log('trouble', store.trouble === undefined ? 'none' : message(store.trouble))
    if (line === 'verify') console.log('verified', JSON.stringify(await store.audit.verify()))
    if (line === 'close') break
  }
  await store.close()

  async function append(): Promise<boolean> {
    try {
      await store.audit.append(record())
      console.log('written', store.audit.head?.sequence)
      return true
    } catch (thrown) {
      console.log('refused', message(thrown))
      return false
    }
  }
} catch (thrown) {
  console.log('failed', message(thrown))
}
