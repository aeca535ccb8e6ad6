import { redactedUrl } from '../../config/describe-config.js'
import { configPlaces, type NamedText, type StoredConfig } from '../../config/index.js'
import { storeAddress } from '../../config/settings/complete-settings.js'
import { shellWord } from '../../config/trust/trust-messages.js'
import type { CopyCount } from '../../store/copy/copied-counts.js'
import type { CopiedBack } from '../../store/copy/copy-to-directory.js'
import { storeKeysIn } from '../../store/secrets/gateway-keys.js'
import { progressBar } from '../call/progress-bar.js'
import { type CommandInput, optionText, type RunCommand, usageProblem } from '../command.js'
import { table } from '../output/table.js'
import { visibleTextLine } from '../terminal/visible-text.js'

export const run: RunCommand = async (input, terminal) => {
  const { env, cwd } = input
  const { url, isBack } = databaseIn(input)
  const flags = { dataDir: optionText(input, 'dataDir') }
  const { dataDir } = await configPlaces({ path: optionText(input, 'config'), env, cwd, flags })
  const bar = progressBar(terminal)
  const onProgress = (message: string, progress: number) => bar.show({ progress, message: `records ${message}` })
  const options = { keys: storeKeysIn(env), onProgress }
  const copying = isBack ? backToDirectory(url, dataDir, options) : toPostgres(dataDir, url, options)
  const { counts, file, config } = await copying.finally(bar.clear)
  const at = redactedUrl(url)
  const [from, to] = isBack ? [at, dataDir] : [dataDir, at]
  if (terminal.json)
    return void terminal.printJson({
      from,
      to,
      counts,
      ...(file !== undefined && { file }),
      ...(config && { configVersion: config.version }),
    })
  const rows = counts.map(({ what, source, target }) => [what, String(source), String(target)])
  terminal.print(table(['COPIED', 'SOURCE', 'TARGET'], rows, terminal))
  terminal.say(`Copied ${from} to ${to}. ${isBack ? stepsBack(file, config) : keysStep(dataDir)}`)
}

type Options = Parameters<typeof import('../../store/copy/copy-to-postgres.js').copyToPostgres>[2]
type Copied = { readonly counts: readonly CopyCount[] } & Pick<CopiedBack, 'file' | 'config'>

const toPostgres = async (dataDir: string, url: string, options: Options): Promise<Copied> => ({
  counts: await (await import('../../store/copy/copy-to-postgres.js')).copyToPostgres(dataDir, url, options),
})

const backToDirectory = async (url: string, dataDir: string, options: Options): Promise<Copied> =>
  (await import('../../store/copy/copy-to-directory.js')).copyToDirectory(url, dataDir, options)

function databaseIn(input: CommandInput): { readonly url: string; readonly isBack: boolean } {
  const [to, from] = [optionText(input, 'to'), optionText(input, 'from')]
  const said = to ?? from
  if (said === undefined || (to !== undefined && from !== undefined))
    throw usageProblem('Name one database: --to copies the data directory into it, and --from copies it into the data directory')
  const name = to === undefined ? '--from' : '--to'
  return { url: storeAddress(said, { at: undefined, name, env: input.env }), isBack: to === undefined }
}

const keysStep = (dataDir: string): string =>
  `Keys were not copied: give the vault.key and audit.key of ${dataDir}, or of its environment, to every gateway.`

function stepsBack(file: string | undefined, config: StoredConfig | undefined): string {
  const log =
    file === undefined ? '' : ` The log until now is in ${file}. Verify it with toolwire audit verify --file ${shellWord(file)}.`
  return `${config ? saveStep(config) : ''}Start the gateway without TOOLWIRE_STORE and with the same keys.${log}`
}

function saveStep({ version, config, policy }: StoredConfig): string {
  const show = (option: string, { name }: NamedText) => `toolwire config show${option} > ${shellWord(visibleTextLine(name))}`
  const commands = [show('', config), ...(policy ? [show(' --policy', policy)] : [])].join(' && ')
  return `Version ${version} of the config stays in the database. Save it first, while TOOLWIRE_STORE names the database: ${commands}. `
}
