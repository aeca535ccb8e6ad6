// Holds every conversation that is written down beside this file. `UPDATE=1` writes down what was said instead; read the difference.
import { readdirSync, writeFileSync } from 'node:fs'
import { type Json, reportTo } from 'toolwire'
import { describe, expect, it } from 'vitest'
import { judgeFrames } from '../official-schemas.js'
import { type Line, readScript, type Script, starred } from './script.js'
import { exampleServer } from './server.js'
import { Talk } from './talk.js'

const folders = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28', 'pocket']
// One tool fails on purpose, and what our own side is told of it is no part of the conversation.
reportTo(() => undefined)

const updating = process.env.UPDATE === '1'

for (const folder of folders) {
  describe(folder, () => {
    const place = new URL(`${folder}/`, import.meta.url)
    const files = readdirSync(place).filter((name) => name.endsWith('.jsonl'))
    for (const script of files.sort().map((name) => readScript(new URL(name, place))))
      it(script.title, () => hold(script, folder))
  })
}

async function hold(script: Script, folder: string): Promise<void> {
  const { pageSize } = script
  const revision = folder === 'pocket' ? '2025-06-18' : folder
  const app = exampleServer({ ...(pageSize && { pageSize }), ...(folder === 'pocket' && { profile: 'pocket' }) })
  const talk = new Talk(app, revision)
  if (!opensItself(script)) await talk.open()
  await (updating ? write(script, talk) : check(script, talk))
  talk.close()
  const complaints = judgeFrames(revision, talk.frames)
  expect(complaints.filter((complaint) => !script.mistaken || complaint.startsWith('server'))).toEqual([])
}

/** A conversation about opening says its first words itself. */
function opensItself({ lines }: Script): boolean {
  const first = lines.find(({ kind }) => kind !== '#')
  return first?.kind === '>>' || first?.text.includes('"initialize"') === true
}

function say(talk: Talk, { kind, text }: Line): void {
  if (kind === '>') talk.say(JSON.parse(text))
  if (kind === '>>') talk.sayExactly(text)
}

async function check({ lines }: Script, talk: Talk): Promise<void> {
  let expected = 0
  for (const line of lines) {
    if (line.kind !== '<') {
      say(talk, line)
      continue
    }
    await talk.upTo(++expected)
    const came = talk.heard[expected - 1]
    const wanted = JSON.parse(line.text) as Json
    expect(came === undefined ? 'nothing came' : starred(wanted, came)).toEqual(wanted)
  }
  await talk.quiet(1)
  expect(talk.heard.slice(expected), 'said without being expected').toEqual([])
}

async function write({ file, title, lines }: Script, talk: Talk): Promise<void> {
  const written: string[] = []
  const expected = lines.flatMap(({ kind, text }) => (kind === '<' ? [JSON.parse(text) as Json] : []))
  for (const line of lines.filter(({ kind }) => kind !== '<')) {
    written.push(`${line.kind} ${line.text}`)
    if (line.kind === '#') continue
    const before = talk.heard.length
    say(talk, line)
    await talk.quiet(40)
    written.push(...talk.heard.slice(before).map((came, at) => `< ${JSON.stringify(starred(expected[before + at], came))}`))
  }
  const known = new Set(lines.map(({ kind, text }) => `${kind} ${text}`))
  for (const line of written.filter((one) => !known.has(one))) console.info(`${title}\n+ ${line}`)
  writeFileSync(file, `${written.join('\n')}\n`)
}
