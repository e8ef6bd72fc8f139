import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { Login } from './login.tsx'
import { Notes } from './notes.tsx'

createRoot(document.getElementById('root')!).render(
  <StrictMode>
    <QueryClientProvider client={new QueryClient()}>
      <Login />
      <Notes />
    </QueryClientProvider>
  </StrictMode>,
)
