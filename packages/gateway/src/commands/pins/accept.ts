import type { JsonObject } from 'toolwire'
import { shellWord } from '../../config/trust/words.js'
import { apiOf } from '../api/api.js'
import { exitCodes, misused, Trouble } from '../exit-codes.js'
import { promptsHere } from '../forms/prompts.js'
import { wordIn } from '../json.js'
import { isOn, type Run, textOf } from '../spec.js'
import { visibleLine } from '../terminal/hidden.js'
import { acceptSeveral } from './accept-several.js'
import { definitionOf, differenceOf, isNamedBy, pinsOf, serverOf, toolOf, waitingAt } from './pins.js'

export const run: Run = async (input, terminal) => {
  const api = apiOf(input)
  const [name] = input.operands
  const [server, all] = [textOf(input, 'server'), isOn(input, 'all')]
  if ([name !== undefined, server !== undefined, all].filter(Boolean).length !== 1)
    throw misused('Say what you accept: toolwire pins accept <name>, or --server <name>, or --all')
  if (name === undefined) return acceptSeveral(server, { input, terminal })
  const drift = waitingAt(name, await pinsOf(api))
  if (!drift) return void terminal.say(`${name} is as it was accepted; there is nothing to accept`)
  const hash = wordIn(drift, 'hash') ?? ''
  const wanted = textOf(input, 'hash')
  if (wanted !== undefined && wanted !== hash)
    throw new Trouble(`${name} has another hash now: ${hash}; look at it again with toolwire pins diff ${shellWord(name)}`)
  if (wanted !== undefined) mustBeNamed(drift, textOf(input, 'identity'))
  if (wanted === undefined && !isOn(input, 'yes')) {
    if (!terminal.interactive)
      throw misused(`Say which definition you accept: --hash ${hash}, after toolwire pins diff ${shellWord(name)}`)
    process.stderr.write(`${differenceOf(drift, terminal)}\n`)
    if (!(await (await promptsHere(input.signal)).yesOrNo('Accept this definition?'))) return exitCodes.refused
  }
  const of = serverOf(drift)
  await api.ask('/pins/accept', { method: 'POST', body: definitionOf(drift) })
  if (terminal.json) terminal.printJson({ tool: toolOf(drift), ...(of && { server: of }), hash })
  else terminal.print(`Accepted ${visibleLine(toolOf(drift))} as ${hash}`)
  return undefined
}

/** A hash is that of a definition, which another server can have, too. */
function mustBeNamed(drift: JsonObject, identity: string | undefined): void {
  const change = wordIn(drift, 'serverChange')
  if (identity === undefined && change === undefined) return
  if (identity !== undefined && isNamedBy(drift, identity)) return
  const look = `toolwire pins diff ${shellWord(toolOf(drift))}`
  if (identity === undefined)
    throw misused(`${visibleLine(change ?? '')} Look at it with ${look}, and add --identity as it is shown there`)
  throw new Trouble(`${toolOf(drift)} comes from another server than ${visibleLine(identity)}; look at it again with ${look}`)
}
