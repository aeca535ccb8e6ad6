// usage: node count-tests.mjs REPORT
// Reads vitest's report, and counts tests that passed and tests that did not. A skipped test, and a file that does not load, count as
// failures.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const { testResults, numPassedTests } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const notPassed = testResults.flatMap(({ name, status, assertionResults }) => {
  const file = relative(process.cwd(), name)
  const own = assertionResults.filter((one) => one.status !== 'passed').map((one) => `${one.status}: ${file} > ${one.fullName}`)
  return own.length === 0 && status === 'failed' ? [`failed: ${file}`] : own
})
for (const one of notPassed) console.error(one)
console.log(numPassedTests, notPassed.length)
