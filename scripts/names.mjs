// Keeps names, folders and comments readable: `npm run names` lists what breaks a rule, and then exits with 1.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exportedNames } from './exported-names.mjs'

const maxApiNames = 200
const maxFiles = 20
const smallLines = 25
/** A comment begins with its subject. A sentence that opens with one of these words has to be read twice. */
const riddle = /^\s*(?:\/\*\*|\*|\/\/)\s+(?:What|Whatever|Who|Whoever|Where|Whether)\b[^?]*$/

/** Names that siblings share on purpose, and small files that belong to a family. */
const families = {
  toolwire: {
    names: [/^schema\/keywords\//],
    files: [
      /^revisions\//,
      /^policy\/[^/]+\/(index|refusals|store)\.ts$/,
      /^schema\/keywords\//,
      /^llm\/providers\//,
      /^relay\//,
      // Each kind of state that replicas share has its own file.
      /^postgres\//,
      // Each way to authenticate has its own file.
      /^auth\/any-of\.ts$/,
    ],
  },
  gateway: { names: [/^cli\/.*: (run|spec|help)$/], files: [/^cli\//] },
  check: { names: [/^checks\/.*: checks$/], files: [/^checks\//] },
  console: { names: [/: Props$/], files: [] },
}

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const failures = []
for (const [name, family] of Object.entries(families)) {
  const source = join(root, 'packages', name, 'src')
  if (existsSync(source)) checkPackage(name, source, family)
}
checkApi()

if (failures.length > 0) console.error(failures.join('\n'))
console.log(`names: ${failures.length} failures`)
process.exitCode = failures.length > 0 ? 1 : 0

function checkPackage(name, source, family) {
  const files = readdirSync(source, { recursive: true }).filter((file) => /\.tsx?$/.test(file))
  const texts = new Map(files.map((file) => [file, readFileSync(join(source, file), 'utf8')]))
  checkUnique(name, texts, family)
  checkFolders(name, files)
  checkSmallFiles(name, source, texts, family)
  checkComments(name, texts)
}

function checkComments(name, texts) {
  for (const [file, text] of texts) {
    for (const [index, line] of text.split('\n').entries())
      if (riddle.test(line))
        failures.push(`${name}/${file}:${index + 1} has a comment that begins with a clause. Begin with its subject.`)
  }
}

function checkUnique(name, texts, family) {
  const places = new Map()
  const declaration = /^export (?:declare )?(?:abstract )?(?:async )?(?:function\*?|class|const|let|type|interface|enum) (\w+)/gm
  for (const [file, text] of texts) {
    for (const found of new Set([...text.matchAll(declaration)].map((match) => match[1]))) {
      if (family.names.some((pattern) => pattern.test(`${file}: ${found}`))) continue
      places.set(found, [...(places.get(found) ?? []), file])
    }
  }
  for (const [found, files] of places) {
    if (files.length > 1) failures.push(`${name}: ${found} is exported by ${files.join(', ')}. Give each its own name.`)
  }
}

function checkFolders(name, files) {
  const counts = new Map()
  for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  for (const [folder, count] of counts) {
    if (count > maxFiles) failures.push(`${name}/${folder} has ${count} files of at most ${maxFiles}. Group them in folders.`)
  }
}

function checkSmallFiles(name, source, texts, family) {
  const importers = new Map()
  const onDemand = new Set()
  for (const [file, text] of texts) {
    for (const [, how, specifier] of text.matchAll(/(from|import\()\s*'(\.[^']+)'/g)) {
      const target = relative(source, join(source, dirname(file), specifier)).replace(/\.js$/, '')
      importers.set(target, new Set([...(importers.get(target) ?? []), file]))
      if (how === 'import(') onDemand.add(target)
    }
  }
  for (const [file, text] of texts) {
    const lines = text.trimEnd().split('\n').length
    const target = file.replace(/\.tsx?$/, '')
    const from = importers.get(target)
    if (lines >= smallLines || from?.size !== 1 || basename(file) === 'index.ts') continue
    const reason = onDemand.has(target)
      ? 'is loaded on demand'
      : family.files.some((pattern) => pattern.test(file)) && 'is one of a family'
    if (reason) {
      console.log(`exception: ${name}/${file}, ${lines} lines, ${reason}`)
      continue
    }
    failures.push(`${name}/${file} has ${lines} lines and one importer, ${[...from][0]}. Fold it into that file.`)
  }
}

function checkApi() {
  const entries = exportedNames(root)
  const byName = new Map()
  for (const [entry, names] of entries) {
    for (const { name } of names) byName.set(name, [...(byName.get(name) ?? []), entry])
  }
  for (const [name, from] of byName) {
    if (from.length > 1) failures.push(`API: ${name} is exported by ${from.join(' and ')}. Export it from one of them.`)
  }
  console.log(`API: ${byName.size} names of at most ${maxApiNames} in ${entries.size} entries`)
  if (byName.size > maxApiNames) failures.push(`API: ${byName.size} names are more than ${maxApiNames}.`)
}
