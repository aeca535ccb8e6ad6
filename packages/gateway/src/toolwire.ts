#!/usr/bin/env node
import { main } from './commands/main.js'

await main(process.argv.slice(2))
