import { exitCodes, isOptionOn, type RunCommand } from '../command.js'
import type { Paint } from '../terminal/terminal.js'
import { indentedText } from '../terminal/visible-text.js'
import { checkCallers } from './check-callers.js'
import { checkConfigFile } from './check-config.js'
import { checkClock, checkGateway, checkServedConfig, gatewayOf } from './check-gateway.js'
import { checkDataDir, checkKey, checkNode, checkPort } from './check-machine.js'
import { checkCommands, checkNamesOffline, checkUpstreams } from './check-servers.js'
import { checkStore } from './check-store.js'
import type { DoctorFinding } from './finding.js'

export const run: RunCommand = async (input, terminal) => {
  const findings: DoctorFinding[] = []
  const note = (found: readonly DoctorFinding[]) => {
    findings.push(...found)
    if (!terminal.json) for (const finding of found) terminal.print(lineOf(finding, terminal.paint))
  }
  note([checkNode()])
  const { config, findings: ofConfig } = await checkConfigFile(input)
  note(ofConfig)
  const gateway = await checkGateway(gatewayOf(input, config), input.env)
  note(gateway.findings)
  if (gateway.answers && config) note(checkServedConfig(gateway.url, config.source, input.env))
  note([checkClock(gateway.date)])
  if (config) {
    note([await checkPort(config, gateway.answers ? gateway.url : undefined), await checkDataDir(config)])
    note(await checkStore(config, input.env))
    note([await checkCallers(config), ...checkKey(input.env)])
    note(checkCommands(config, input.env))
    note(isOptionOn(input, 'offline') ? await checkNamesOffline(config) : await checkUpstreams(config, input.signal))
  }
  const isWrong = findings.some(({ is }) => is === 'wrong')
  const clean = findings.some(({ is }) => is === 'doubtful') ? 'No errors; see the warnings above' : 'No problems were found'
  if (terminal.json) terminal.printJson({ ok: !isWrong, findings })
  else terminal.say(isWrong ? 'Problems were found; see above' : clean)
  return isWrong ? exitCodes.failed : exitCodes.ok
}

/** Aligns further lines with the check, after the mark. */
const indent = ' '.repeat(10)

/** A finding as it is printed. */
export function lineOf({ check, is, message }: DoctorFinding, paint: Paint): string {
  const mark = { fine: paint.green('fine    '), doubtful: paint.yellow('doubtful'), wrong: paint.red('wrong   ') }[is]
  return `${mark}  ${check}: ${indentedText(message, indent)}`
}
