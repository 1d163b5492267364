run "open" {
