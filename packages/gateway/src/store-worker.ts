// The entry file of the database thread.
import { parentPort, workerData } from 'node:worker_threads'
import { runDatabaseThread } from './store/database/thread/database-thread.js'
import type { ThreadStart } from './store/database/thread/messages.js'

// Only `openStore` starts this file, and passes a ThreadStart.
if (parentPort) runDatabaseThread(parentPort, workerData as ThreadStart)
