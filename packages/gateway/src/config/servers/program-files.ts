// Finds the files that a command runs, as far as its words tell: the program, and scripts among its arguments.
import { basename, delimiter, extname, isAbsolute, join, resolve } from 'node:path'
import type { Target } from '../gateway-config.js'
import { type HashedFile, hashFile, isExecutable, isReplaceable, windowsPrograms } from './file-hash.js'

type Child = Target & { readonly kind: 'child' }

/** Interpreters: the first file among their arguments is a script, whatever its extension. */
const interpreters =
  words(`node nodejs bun deno tsx ts-node python pythonw pypy ruby perl php lua rscript java sh bash zsh dash ksh
  fish pwsh powershell cmd`)
/** Launchers fetch or contain the program that they run, and are no servers themselves. */
const launchers = words('npx npm pnpm pnpx yarn bunx uv uvx pipx docker podman nerdctl env dotnet go cargo')
/** Extensions of files that are run or loaded. Other files are data, which change all the time. */
const code = words(`.js .mjs .cjs .jsx .ts .mts .cts .tsx .py .pyc .pyz .rb .pl .php .lua .r .sh .bash .zsh .fish .ps1 .cmd .bat
  .jar .war .class .wasm .exe .dll .so .dylib .node .whl .phar`)
/** Options whose value is loaded before the script, and is not the script itself. */
const loading = words('-r --require --import --loader --experimental-loader --preload')
/** Variables whose values are the addresses that a launcher fetches its program from. */
const sources = words(`npm_config_registry uv_index uv_index_url uv_default_index uv_extra_index_url uv_find_links pip_index_url
  pip_extra_index_url pip_find_links goproxy`)
/** Variables whose values decide which code a runtime loads, or where a launcher runs its program. */
const loaders =
  words(`node_options node_path pythonpath pythonhome rubyopt rubylib perl5opt perl5lib perl5db lua_init lua_path lua_cpath
  phprc php_ini_scan_dir java_tool_options jdk_java_options _java_options classpath dotnet_startup_hooks bash_env ld_preload
  ld_audit ld_library_path dyld_insert_libraries dyld_library_path dyld_framework_path docker_host`)
/** Variables that lead to other programs, to other code or to other settings of a launcher, besides `sources` and `loaders`. */
const leading =
  words(`path pathext comspec shell home userprofile appdata localappdata xdg_config_home xdg_config_dirs xdg_data_home
  virtual_env conda_prefix java_home mono_path env zdotdir ifs shellopts bashopts ps4 prompt_command gconv_path glibc_tunables
  openssl_conf openssl_modules electron_run_as_node kubeconfig browser editor visual pager pythonuserbase pythonstartup
  pythonwarnings pythonbreakpoint pythonexecutable pythonplatlibdir goflags gopath goroot gotoolchain`)
const leadingPrefix =
  /^(?:npm_config|pnpm|yarn|bun|deno|corepack|volta|uv|pip|pipx|cargo|rustup|gem|bundle|docker|dotnet|coreclr|complus|ld|dyld|bash_func|git_(?:config|ssh|exec|proxy|askpass|editor|pager|external|template))_|^(?:rustc|perl|ruby)/
const mostWords = 256
const longestWord = 4_096

/** The hashed files of a command, and its resolved path; or its name if the system provides the command or it is not found. */
export async function programFilesOf(target: Child) {
  const { command, args } = target
  const cwd = target.cwd ?? process.cwd()
  const path = await commandPath(target, cwd)
  const name = programName(command)
  const isSystems = (interpreters.has(name) || launchers.has(name)) && (await isProvided(target, path, cwd))
  const files: (HashedFile | undefined)[] = [isSystems || path === undefined ? undefined : await hashFile(path)]
  let isFirst = interpreters.has(name)
  for (const [at, word] of args.slice(0, mostWords).entries()) {
    const before = args[at - 1] ?? ''
    for (const place of [...(before === '-m' ? modulePlaces(word) : []), ...placesIn(word)]) {
      const file = resolve(cwd, place)
      const hashed = (isFirst || (await isCode(file))) && (await hashFile(file))
      if (!hashed) continue
      files.push(hashed)
      if (!word.startsWith('-') && !loading.has(before)) isFirst = false
    }
  }
  return { command: isSystems || path === undefined ? command : path, files: files.filter((file) => file !== undefined) }
}

/** Is a command an interpreter or a launcher, which runs the program that its arguments name? */
export const runsOtherProgram = (command: string): boolean =>
  [interpreters, launchers].some((names) => names.has(programName(command)))

/** Options of interpreters and launchers whose value is the next word. */
export const takesValue = (option: string): boolean => loading.has(option) || option === '-p' || option === '--package'

/** Does a variable decide which code a command runs? */
export const isDecidingVariable = (name: string): boolean => [sources, loaders].some((names) => names.has(name.toLowerCase()))

/** May a variable change which program a command line starts, or which code the program loads? */
export const mayChangeProgram = (name: string): boolean =>
  isDecidingVariable(name) || leading.has(name.toLowerCase()) || leadingPrefix.test(name.toLowerCase())

/** The variables of a command that decide which code it runs, with their values. */
export const decidingVariables = ({ env }: Pick<Child, 'env'>): readonly (readonly [name: string, value: string])[] =>
  Object.entries(env)
    .filter(([name]) => isDecidingVariable(name))
    .map(([name, value]) => [name, sources.has(name.toLowerCase()) ? withoutCredentials(value) : value] as const)
    .sort(([one], [other]) => (one < other ? -1 : 1))

/** Addresses without user names and passwords, which may change often. */
const withoutCredentials = (addresses: string): string => addresses.replace(/(^|[\s,|=])(https?:\/\/)[^@/\s]*@/gi, '$1$2')

/**
 * Is a program part of the machine and not of the server? True for this process's runtime, for a name that leads there without the
 * server's own PATH, and for files that the gateway cannot replace.
 */
async function isProvided(target: Child, path: string | undefined, cwd: string): Promise<boolean> {
  if (path === undefined || path === process.execPath) return true
  if (!/[\\/]/.test(target.command) && (await commandPath({ ...target, env: {} }, cwd)) === path) return true
  return !(await isReplaceable(path))
}

const isCode = async (file: string): Promise<boolean> => code.has(extname(file).toLowerCase()) || (await isExecutable(file))

/** The path that a word may name: the word itself, or the value after the `=` of an option. */
function placesIn(word: string): string[] {
  if (word.length > longestWord || word.includes('\0') || word.includes('://')) return []
  const { 1: value } = /^-{1,2}[\w-]+=(.+)$/s.exec(word) ?? []
  return value === undefined ? (word.startsWith('-') || word === '' ? [] : [word]) : [value]
}

/** The files of a Python module in the folder of the server. */
function modulePlaces(name: string): string[] {
  const path = /^[\w.]{1,200}$/.test(name) ? name.replaceAll('.', '/') : undefined
  return path === undefined ? [] : [`${path}.py`, `${path}/__main__.py`]
}

/** Resolves a command as the operating system does. */
async function commandPath({ command, env }: Child, cwd: string): Promise<string | undefined> {
  if (command.includes('/') || isAbsolute(command)) return resolve(cwd, command)
  const folders = (env.PATH ?? env.Path ?? process.env.PATH ?? '').split(delimiter).filter(Boolean)
  const endings = process.platform === 'win32' && extname(command) === '' ? windowsPrograms : ['']
  for (const folder of folders)
    for (const ending of endings) {
      const place = join(resolve(cwd, folder), command + ending)
      if (await isExecutable(place)) return place
    }
  return undefined
}

/** `python3.12` and `Node.exe` become `python` and `node`. */
const programName = (command: string): string =>
  basename(command.replaceAll('\\', '/'))
    .toLowerCase()
    .replace(/\.(?:exe|cmd|bat|com)$/, '')
    .replace(/[\d.-]+$/, '')

function words(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/))
}
