import type { JsonObject } from 'toolwire'
import type { Client, RemoteTool } from 'toolwire/client'
import { patientMeta } from '../../gateway/patient-meta.js'
import { readArguments } from '../arguments/read-arguments.js'
import { exitCodes, misused } from '../exit-codes.js'
import { answeringHere } from '../forms/answering.js'
import { askMissing, missing } from '../forms/ask-missing.js'
import { Closed, promptsHere } from '../forms/prompts.js'
import { type Input, type Run, textOf } from '../spec.js'
import { isAddress, type Place, placeOf } from '../target/place.js'
import { reach } from '../target/reach.js'
import { toolNamed } from '../target/tool-named.js'
import type { Terminal } from '../terminal/terminal.js'
import { mayBeSent } from './consent.js'
import { progressBar } from './progress.js'
import { showResult } from './show-result.js'

export const run: Run = async (input, terminal) => {
  const [name = '', ...words] = input.operands
  const addresses = words.filter(isAddress)
  if (addresses.length > 1) throw misused('Name one address only')
  const place = placeOf(addresses[0], input)
  const bar = progressBar(terminal)
  await using client = await reach(place, { input, terminal, answers: answeringHere(terminal, bar.clear) })
  const tool = await toolNamed(client, name)
  const typed = words.filter((word) => !isAddress(word))
  const args = await argumentsFor(tool, typed, { input, terminal })
  if (!(await mayBeSent({ tool, args, place }, input, terminal))) return exitCodes.refused
  try {
    const result = await made({ client, tool, args, place }, input, bar.show)
    return await showResult(tool.name, result, { input, terminal, clear: bar.clear })
  } finally {
    bar.clear()
  }
}

type Called = { readonly client: Client; readonly tool: RemoteTool; readonly args: JsonObject; readonly place: Place }

/** Behind a gateway a person may have to decide first, who has five minutes for it. */
const throughGateway = { idleMs: 330_000, totalMs: 900_000 }

function made({ client, tool, args, place }: Called, input: Input, onProgress: ReturnType<typeof progressBar>['show']) {
  const given = textOf(input, 'timeout')
  const ms = Number(given) * 1000
  if (given !== undefined && !(ms > 0)) throw misused('--timeout is a number of seconds')
  const limits = given === undefined ? place.kind === 'gateway' && throughGateway : { idleMs: ms, totalMs: ms }
  const meta = place.kind === 'gateway' ? { [patientMeta]: true } : {}
  return client.call(tool.name, args, { signal: input.signal, onProgress, meta, ...limits })
}

async function argumentsFor(
  { name, inputSchema }: RemoteTool,
  words: readonly string[],
  { input, terminal }: { input: Input; terminal: Terminal },
): Promise<JsonObject> {
  const given = await readArguments(words, inputSchema, { input: textOf(input, 'input'), cwd: input.cwd })
  const lacking = missing(inputSchema, given)
  if (lacking.length === 0) return given
  if (!terminal.interactive) throw misused(`${name} needs ${lacking.join(', ')}; toolwire inspect ${name} says what they are`)
  try {
    return await askMissing(inputSchema, given, await promptsHere(input.signal))
  } catch (thrown) {
    throw thrown instanceof Closed ? misused('Nothing was sent') : thrown
  }
}
