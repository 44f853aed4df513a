graph [ directed 1 class "x" node [ id 0 color "red" graphics [ x 1 ] ]
# comment
node [ id 1 color "b&amp;w" ] edge [ source 0 target 1 weight -1.5e2 ] ]
