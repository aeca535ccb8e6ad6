import { realpath } from 'node:fs/promises'
import { findConfig } from '../../config/find-config.js'
import { acceptedFile, forget } from '../../config/trust/accepted.js'
import type { WaitingPart } from '../../config/trust/parts.js'
import { exitCodes, misused } from '../exit-codes.js'
import { machineOf } from '../machine/where.js'
import { isOn, type Run, textOf } from '../spec.js'
import { configPath } from '../target/config-path.js'
import { visible } from '../terminal/hidden.js'
import { type Agree, acceptFound, askingHere, shownParts } from './accept-found.js'

export const run: Run = async (input, terminal) => {
  const { env, cwd } = input
  const machine = machineOf(input)
  const flags = { dataDir: textOf(input, 'dataDir') }
  const path = await findConfig(configPath(input), machine)
  if (path === undefined) throw misused('There is no config here to accept. Name one: toolwire trust <file>')
  if (isOn(input, 'forget')) {
    const wasThere = await forget(acceptedFile(machine, flags), await realpath(path).catch(() => path))
    if (terminal.json) terminal.printJson({ file: path, forgotten: wasThere })
    else terminal.print(visible(wasThere ? `${path} waits again: nothing of it is accepted` : `Nothing of ${path} was accepted`))
    return exitCodes.ok
  }
  const dryRun = isOn(input, 'dryRun')
  const seen: WaitingPart[] = []
  const asks = terminal.interactive && !terminal.json && !isOn(input, 'yes') && !dryRun
  const ask = askingHere({ paint: terminal.paint, signal: input.signal })
  const agree: Agree = async (waiting) => {
    seen.push(...waiting)
    if (asks) return ask(waiting)
    if (!terminal.json) terminal.print(shownParts(waiting, terminal.paint))
    return !dryRun
  }
  const accepted = await acceptFound({ path, asFound: true, env, cwd, flags }, agree)
  if (terminal.json)
    terminal.printJson({
      file: path,
      accepted: dryRun ? [] : (accepted ?? []).map(shown),
      ...(dryRun && { waiting: seen.map(shown) }),
    })
  else if (dryRun) terminal.say(seen.length > 0 ? 'Nothing was accepted; without --dry-run this is' : nothingNew(path))
  else if (!accepted) terminal.say('Nothing was accepted, and it waits.')
  else terminal.say(accepted.length > 0 ? `Accepted. A gateway that runs with it follows by itself` : nothingNew(path))
  return dryRun || accepted ? exitCodes.ok : exitCodes.refused
}

const nothingNew = (path: string): string => `Nothing waits: ${visible(path)} is accepted as it is`

const shown = ({ file, kind, id, lines }: WaitingPart) => ({ file, kind, ...(id !== undefined && { server: id }), lines })
