import { jobSuite } from '../../fixtures/job-suite.js'

jobSuite('memory', async () => ({ open: undefined, unit: 20, refusesTransactions: true, close: async () => {} }))
