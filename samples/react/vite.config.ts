import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'

export default defineConfig({
  root: 'web',
  plugins: [react()],
  // While you develop, the page and the API have one origin: Vite passes on every path that begins with /api/.
  server: { port: 5173, proxy: { '/api/': process.env['API_URL'] ?? 'http://localhost:3000' } },
})
