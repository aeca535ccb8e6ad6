// A server that ends as soon as it has begun: node dying-server.mjs <file>. It leaves a mark in the file each time.
import { appendFileSync } from 'node:fs'

appendFileSync(process.argv[2], '.')
process.exit(1)
