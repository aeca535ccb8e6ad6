// A server that exits right after its start: node dying-server.mjs <file>. It adds a mark to the file each time.
import { appendFileSync } from 'node:fs'

appendFileSync(process.argv[2], '.')
process.exit(1)
