import { findConfig } from '../../config/find-config.js'
import { machineOf } from '../../config/paths.js'
import { acceptedFileOf, forgetFile, trustStorePath } from '../../config/trust/accepted-parts.js'
import type { UntrustedPart } from '../../config/trust/untrusted-parts.js'
import { exitCodes, isOptionOn, optionText, type RunCommand, usageProblem } from '../command.js'
import { configPath } from '../target/target.js'
import { visibleText } from '../terminal/visible-text.js'
import { acceptFoundConfig, type ConfirmTrust, confirmAtTerminal, showParts } from './accept-found.js'

export const run: RunCommand = async (input, terminal) => {
  const { env, cwd } = input
  const machine = machineOf(input)
  const flags = { dataDir: optionText(input, 'dataDir') }
  const path = await findConfig(configPath(input), machine)
  if (path === undefined) throw usageProblem('There is no config here. Name one: toolwire trust <file>')
  if (isOptionOn(input, 'forget')) {
    const wasThere = await forgetFile(trustStorePath(machine, flags), await acceptedFileOf(path))
    if (terminal.json) terminal.printJson({ file: path, forgotten: wasThere })
    else terminal.print(visibleText(wasThere ? `The acceptance of ${path} is withdrawn` : `No part of ${path} was accepted`))
    return exitCodes.ok
  }
  const dryRun = isOptionOn(input, 'dryRun')
  const seen: UntrustedPart[] = []
  const asks = terminal.interactive && !isOptionOn(input, 'yes') && !dryRun
  const ask = confirmAtTerminal({ paint: terminal.paint, signal: input.signal })
  const agree: ConfirmTrust = async (waiting) => {
    seen.push(...waiting)
    if (asks) return ask(waiting)
    if (!terminal.json) terminal.print(showParts(waiting, terminal.paint))
    return !dryRun
  }
  const accepted = await acceptFoundConfig({ path, asFound: true, env, cwd, flags }, agree)
  const now = dryRun ? [] : (accepted ?? []).map(shown)
  if (terminal.json) terminal.printJson({ file: path, accepted: now, ...(dryRun && { waiting: seen.map(shown) }) })
  else if (dryRun)
    terminal.say(seen.length > 0 ? 'Nothing was accepted. Without --dry-run, these parts are accepted' : nothingNew(path))
  else if (!accepted) terminal.say('Nothing was accepted. The config still waits.')
  else terminal.say(accepted.length > 0 ? `Accepted. A running gateway picks up the change by itself` : nothingNew(path))
  return dryRun || accepted ? exitCodes.ok : exitCodes.refused
}

const nothingNew = (path: string): string => `Nothing waits: all of ${visibleText(path)} is accepted`

const shown = ({ file, kind, id, lines }: UntrustedPart) => ({ file, kind, ...(id !== undefined && { server: id }), lines })
