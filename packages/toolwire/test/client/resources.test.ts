// Reading resources.
import { describe, expect, it } from 'vitest'
import { ResourceMissing } from '../../src/client/index.js'
import { every } from '../revisions.js'
import { connectScripted, Fails } from './scripted.js'

describe.each(every)('%s', (revision) => {
  const reading = async (code: number) => {
    const script = { 'resources/read': new Fails(code, 'no such thing', { uri: 'note:1' }) }
    const { client } = await connectScripted(script, { revision, capabilities: { resources: {} } })
    return client.readResource('note:1').catch((thrown: unknown) => thrown)
  }

  it('RSRC-006 reports a missing resource in one way, whichever code the server uses', async () => {
    for (const code of [-32002, -32602]) {
      const thrown = await reading(code)
      expect(thrown).toBeInstanceOf(ResourceMissing)
      expect(thrown).toMatchObject({ uri: 'note:1', code, message: 'no such thing' })
    }
    expect(await reading(-32603)).not.toBeInstanceOf(ResourceMissing)
  })
})
