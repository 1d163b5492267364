run "good" {
}
