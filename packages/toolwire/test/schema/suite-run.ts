// Runs the whole suite and prints the differences. official-suite.test.ts bundles and starts it in a process without eval.
import type { DialectName } from '../../src/schema/dialects/dialects.js'
import { compile } from '../../src/schema/index.js'
import { type SuiteGroup, suiteFiles, suiteRemotes } from './corpora.js'

const [root = ''] = process.argv.slice(2)
const remotes = suiteRemotes(root)

function differences(group: SuiteGroup, dialect: DialectName, trusted: boolean): string[] {
  const compiled = compile(group.schema, { trusted, dialect, remotes })
  return group.tests
    .filter((test) => (compiled.check(test.data).length === 0) !== test.valid)
    .map((test) => `${dialect}: ${group.description}: ${test.description}`)
}

const drafts = [
  { folder: 'draft2020-12', dialect: '2020-12' },
  { folder: 'draft7', dialect: 'draft-07' },
] as const
const groups = drafts.flatMap(({ folder, dialect }) =>
  suiteFiles(root, folder).flatMap((file) => file.groups.map((group) => ({ group, dialect }))),
)
const failed = groups.flatMap(({ group, dialect }) => [true, false].flatMap((trusted) => differences(group, dialect, trusted)))
let evalIsThere = true
try {
  Function('return 1')()
} catch {
  evalIsThere = false
}
console.log(JSON.stringify({ groups: groups.length, failed, evalIsThere }))
