import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export const file = join(mkdtempSync(join(tmpdir(), 'rules-')), 'policy.yaml')
writeFileSync(file, 'default: deny\nrules: []\n')
