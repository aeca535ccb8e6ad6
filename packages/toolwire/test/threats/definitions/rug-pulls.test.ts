// An accepted tool whose definition changes by one character.
import { describe, expect, it } from 'vitest'
import { connect } from '../../../src/client/index.js'
import { type Drift, pin } from '../../../src/guard.js'
import { server, tool } from '../../../src/index.js'
import { every } from '../../revisions.js'
import { changing } from './changing.js'
import { members, texts, whole, withNameAt, withValueAt } from './positions.js'

const hidden = '\u200b'
const shown = '\\u{200b}'

describe.each(every)('one additional character, %s', (revision) => {
  const pulled = async (definition: Parameters<typeof changing>[1][number]) => {
    const { call, say, sent, drifts } = await changing(revision, [whole])
    expect(await call('send_message')).toBe('done')
    await say([definition])
    // The arguments include a member that the definition may now require.
    expect(await call('send_message', { [`to${hidden}`]: 'ada' })).toBe('definition-changed')
    expect(sent()).toBe(1)
    expect(drifts).toHaveLength(1)
    return drifts[0]?.changes
  }

  it.each(texts)('CHG-005 SECC-006 in the text at %s stops the tool, and is shown there', async (path) => {
    const changes = await pulled(withValueAt(path, (text) => `${text}${hidden}`))
    expect(changes).toEqual([{ path, before: expect.any(String), after: expect.stringContaining(`${shown}"`) }])
    expect(changes?.[0]?.after).toBe(changes?.[0]?.before?.replace(/"$/, `${shown}"`))
  })

  it.each(members)('CHG-005 SECC-006 in the name of the member at %s stops the tool, and is shown there', async (path) => {
    const changes = await pulled(withNameAt(path, (name) => `${name}${hidden}`))
    expect(changes?.map(({ path, before, after }) => [path, before === undefined, after === undefined])).toEqual([
      [path, false, true],
      [`${path}${shown}`, true, false],
    ])
  })

  it('CHG-005 in a hint stops the tool', async () => {
    const path = '/annotations/readOnlyHint'
    expect(await pulled(withValueAt(path, () => true))).toEqual([{ path, before: 'false', after: 'true' }])
  })

  it('CHG-005 in the required members stops the tool', async () => {
    const changes = await pulled(withValueAt('/inputSchema/required', () => []))
    expect(changes).toEqual([{ path: '/inputSchema/required/0', before: '"to"', after: undefined }])
  })
})

describe('a tool that changes repeatedly', () => {
  it('CHG-005 is refused each time, and works again after it was reverted', async () => {
    const { call, say, drifts, policy } = await changing('2025-11-25', [whole])
    await call('send_message')
    for (const title of ['A', 'B', 'A']) {
      await say([{ ...whole, title }])
      expect(await call('send_message')).toBe('definition-changed')
    }
    expect(drifts).toHaveLength(3)
    await say([whole])
    expect(await call('send_message')).toBe('done')
    expect(policy.drifted()).toEqual([])
  })

  it('CHG-005 is called again only after a person has accepted its current definition', async () => {
    const { call, say, policy } = await changing('2025-11-25', [whole])
    await call('send_message')
    await say([{ ...whole, description: 'Sends a message, and a copy.' }])
    await call('send_message')
    const [drift] = policy.drifted() as [Drift]
    await policy.accept(drift.server, drift.tool, drift.hash)
    expect(await call('send_message')).toBe('done')
  })

  it('CHG-005 is refused even if the server is in this process', async () => {
    let runs = 0
    const save = (description: string) => tool({ description, run: () => `saved ${++runs}` })
    const notes = server({ name: 'notes', version: '1.0.0', tools: { save: save('Saves a note.') } })
    const pinned = pin()
    await using client = await connect(notes, { policies: [pinned] })
    await client.call('save')
    notes.tools.remove('save')
    notes.tools.add('save', save('Saves a note .'))
    await client.listTools({ fresh: true })
    await expect(client.call('save')).rejects.toMatchObject({ reason: 'definition-changed' })
    expect(runs).toBe(1)
    expect(pinned.drifted()[0]?.changes).toEqual([{ path: '/description', before: '"Saves a note."', after: '"Saves a note ."' }])
  })
})
