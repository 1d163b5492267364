run "same" {
}
run "same" {
}
