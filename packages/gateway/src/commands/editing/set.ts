import { type Json, JsonError, parseJson } from 'toolwire'
import { pathOf } from '../../config/documents/document.js'
import { removeFromJson, setInJson } from '../../config/hosts/edit-json.js'
import { ConfigError } from '../../config/index.js'
import { misused } from '../exit-codes.js'
import { isOn, type Run } from '../spec.js'
import { configToEdit, type Edited, edit, showEdit } from './edit-config.js'

export const run: Run = async (input, terminal) => {
  const [setting = '', word] = input.operands
  const path = ['toolwire', ...segmentsOf(setting)]
  const file = await configToEdit(input, { create: true })
  const unset = isOn(input, 'unset')
  if (unset === (word !== undefined)) throw misused(`Say what ${setting} is to be, or --unset: toolwire set ${setting} <value>`)
  const attempt = (value: Json) => edit(file, setInJson(file.text, path, value), input)
  const edited =
    word === undefined ? await edit(file, removeFromJson(file.text, path), input) : await firstThatFits(word, attempt)
  showEdit(edited, terminal, { what: unset ? `${setting} is no longer set` : `${setting} is set`, more: { setting } })
  return undefined
}

/** `guard.rate.calls`, or `/servers/shop/tools/a.b/hidden` where a name has a dot in it. */
function segmentsOf(setting: string): string[] {
  const segments = setting.startsWith('/') ? pathOf(setting) : setting.split('.')
  const own = segments[0] === 'toolwire' ? segments.slice(1) : segments
  if (own.length === 0 || own.includes(''))
    throw misused('A setting is written guard.rate.calls, or /servers/shop/tools/a.b/hidden')
  return own
}

/** A word is the JSON that it says, or else the text that it is: nobody has to quote for a shell twice. */
async function firstThatFits(word: string, attempt: (value: Json) => Promise<Edited>): Promise<Edited> {
  const json = jsonIn(word)
  if (json === undefined) return attempt(word)
  try {
    return await attempt(json)
  } catch (thrown) {
    if (!(thrown instanceof ConfigError) || typeof json === 'object') throw thrown
    return attempt(word).catch(() => {
      throw thrown
    })
  }
}

function jsonIn(word: string): Json | undefined {
  try {
    return parseJson(word)
  } catch (thrown) {
    if (!(thrown instanceof JsonError)) throw thrown
    if (thrown.code !== 'syntax') throw misused(`The value cannot be taken: ${thrown.message}`)
    return undefined // it is a text
  }
}
