import { resolve } from 'node:path'
import { type JsonObject, parseJson } from 'toolwire'
import { apiOf } from '../api/api.js'
import { misused } from '../exit-codes.js'
import { isObject } from '../json.js'
import { durationOf, spanOf } from '../output/moment.js'
import { type Input, isOn, type Run, textOf } from '../spec.js'
import { visibleLine } from '../terminal/hidden.js'
import { decide, idOf, shown, toolOf, waitingNamed } from './waiting.js'

export const run: Run = async (input, terminal) => {
  const always = await alwaysOf(input)
  const api = apiOf(input)
  const waiting = await waitingNamed(api, input.operands[0] ?? '')
  terminal.say(shown(waiting, terminal))
  await decide(api, waiting, { decision: 'allow', ...(always && { always }) })
  if (terminal.json) terminal.printJson({ id: idOf(waiting), decision: 'allow', ...(always && { always }) })
  else
    terminal.print(
      `Allowed ${visibleLine(toolOf(waiting))}${always ? ` and calls like it for ${spanOf(always.forMs)}` : ', this once'}`,
    )
  return undefined
}

const usualMs = 3_600_000
const longestMs = 28_800_000

async function alwaysOf(input: Input): Promise<{ forMs: number; arguments?: JsonObject } | undefined> {
  const length = textOf(input, 'for')
  const schema = textOf(input, 'arguments')
  if (!isOn(input, 'always')) {
    if (length !== undefined || schema !== undefined)
      throw misused('--for and --arguments say how long and what --always is for; add it')
    return undefined
  }
  const forMs = length === undefined ? usualMs : durationOf(length, '--for')
  if (forMs > longestMs) throw misused('--for is 8h at most')
  return { forMs, ...(schema !== undefined && { arguments: await schemaIn(schema, input.cwd) }) }
}

async function schemaIn(given: string, cwd: string): Promise<JsonObject> {
  const text = given.startsWith('@') ? await contentOf(resolve(cwd, given.slice(1))) : given
  try {
    const value = parseJson(text)
    if (isObject(value)) return value
  } catch (cause) {
    throw misused(`The JSON Schema of --arguments cannot be read: ${cause instanceof Error ? cause.message : cause}`)
  }
  throw misused('--arguments is a JSON Schema, such as {"properties":{"env":{"const":"dev"}},"required":["env"]}')
}

async function contentOf(path: string): Promise<Uint8Array> {
  const { readRegular } = await import('toolwire/node')
  return readRegular(path)
}
