// Writes the names of the public API to docs/reference/api.md. With --check, compares them instead, so that a change is seen in review.
import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { exportedNames } from './exported-names.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const page = join(root, 'docs/reference/api.md')
const entries = exportedNames(root)
const failures = []
let text = `# The public API

Every name that the library exports, with the entry it comes from. The members of a namespace follow its table, and are used as
\`namespace.member\`. \`npm run api\` writes this page, and CI checks it.
`
for (const [entry, names] of entries) {
  text += `\n## \`${entry}\`\n\n| name | kind | description |\n| --- | --- | --- |\n`
  for (const { name, kind, sentence, hasExample } of names) {
    if (!sentence) failures.push(`${entry}: ${name} has no description.`)
    if (kind !== 'type' && kind !== 'namespace' && !hasExample) failures.push(`${entry}: ${name} has no @example.`)
    text += `| \`${name}\` | ${kind} | ${sentence.replaceAll('|', '\\|')} |\n`
  }
  for (const { name, members } of names.filter(({ kind }) => kind === 'namespace'))
    text += `\nMembers of \`${name}\`: ${members.map((member) => `\`${member}\``).join(', ')}.\n`
}

if (process.argv.includes('--check')) {
  if (readFileSync(page, 'utf8') !== text)
    failures.push(`docs/reference/api.md differs from the exports of the entries. Run npm run api, and review the difference.`)
} else {
  writeFileSync(page, text)
}
if (failures.length > 0) console.error(failures.join('\n'))
console.log(`api: ${[...entries.values()].flat().length} names in ${entries.size} entries, ${failures.length} failures`)
process.exitCode = failures.length > 0 ? 1 : 0
